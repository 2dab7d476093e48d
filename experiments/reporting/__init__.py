"""Tables, charts and the page of a run, made from its records alone.

`tables` has the form of a table and those of every run; beside it stand the tables of one question each, and
those of methods with records of their own. `charts` are plain data, which `plots` draws into files and `html`
into the page. `display` shows a table on the terminal and saves a figure.
"""
