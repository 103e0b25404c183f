protocol Calm {
    func one()
    func two()
}

struct Busy {
    struct Inner { func notCounted() {} }

    init() {}
    func one() {}
}
