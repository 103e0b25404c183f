enum Stray {}
