"""Do the views of a light field agree with each other, and with the place on the grid where each is said to be?"""
