"""The study `goals`: what is an agent in Mini-Minecraft after, seen from a plan of its?"""
