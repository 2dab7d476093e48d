"""The methods by name, one file each: what a language model is asked, and what is made of its answers.

`base` is what a method is given and has to provide, `registry` names them all.
"""
