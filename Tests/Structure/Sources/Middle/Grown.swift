enum Grown {
    static func grown() -> Int {
        let one = 1
        let two = 2
        let three = 3
        return one + two + three
    }
}
