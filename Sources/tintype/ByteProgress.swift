/// How far a transfer is, in mebibytes.
struct ByteProgress {
    private var bar = ProgressBar("MiB")
    private let totalBytes: Int?
    private(set) var byteCount = 0

    /// Begins; `totalBytes` is nil when nobody knows.
    init(of totalBytes: Int?) {
        self.totalBytes = totalBytes
    }

    /// Tells that so many more bytes are dealt with.
    mutating func advance(by count: Int) {
        let before = byteCount >> 20
        byteCount += count
        if byteCount >> 20 > before { bar.update(byteCount >> 20, of: totalBytes.map { $0 >> 20 }) }
    }

    /// Ends the line.
    func finish() {
        bar.finish()
    }
}
