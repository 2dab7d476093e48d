"""The study `operators`: how many of Mini-Minecraft's operators do demonstrations recover?"""
