enum Attic {}
