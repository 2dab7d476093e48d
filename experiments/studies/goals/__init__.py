"""The job `goals`: which goal has an agent, seen from a plan of it?

In Mini-Minecraft, `tasks` are what is guessed at, `study` makes the tasks and guesses their goals, `report`
shows what was found. In any domain, `recognise` ranks candidates of files of the user's own, and
`recognition` compares methods on the tasks of `any_domain`, as `recognition_report` shows.
"""
