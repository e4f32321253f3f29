"""Groups of people and their competitions: who belongs, who may see what, when something may be handed in."""
