extension Int {
    /// The number that digits stand for, without a sign, as header fields have it (RFC 9110 §5.6.1); nil for any other text, and
    /// for what is too large.
    package init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(text)
    }
}
