struct Function {
    func long(
        one: Int
    ) -> Int {
        let text = "}"
        return one + text.count
    }

    func short() -> Int { 1 }
}
