extension Third {
    var one: Int { 1 }
    static let two = 2
    private func notCounted() {}
}
