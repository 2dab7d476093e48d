"""The methods by name: what a language model is asked, and what is made of its answers.

`base` is what a method is given and has to provide, with defaults; `registry` names them all and imports one
when it is looked up.
"""
