enum Step {}
enum Door {}
private enum Shelf {}
