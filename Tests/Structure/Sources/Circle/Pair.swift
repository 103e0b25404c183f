// Two files may need each other.
struct Pair { let other: Other }
