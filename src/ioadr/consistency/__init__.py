"""Consistency checks: do the views agree with each other, and with their positions on the grid?"""
