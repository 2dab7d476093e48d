"""Pairs of a planning task in words and its PDDL, to measure the translation from one into the other.

    blocksworld    tasks of Blocksworld, drawn as layouts: a staircase to one tower, …
    gripper        tasks of Gripper likewise
    drawn_task     a drawn task: facts and, for either side, what sums it up in words
    pairs          a task with its text, each side stated fact by fact (explicit) or summed up (abstract)
    drawing        candidates for a collection, drawn or of any other world's tasks, with their digests
    collection     pairs without repetitions, parted into train and test
    files, card    collections as folders that other programs load
    published      the data set that was published with the source, at its size
    source         pairs as tasks of a world

Source: Zuo et al. 2024, section 4.2.
"""
