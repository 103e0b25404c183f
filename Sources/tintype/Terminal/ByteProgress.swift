/// A display of a transfer's progress, in mebibytes.
struct ByteProgress {
    private var bar = ProgressBar("MiB")
    private let totalBytes: Int?
    private(set) var byteCount = 0

    /// Creates a display.
    ///
    /// - Parameter totalBytes: The length of the transfer; nil when it is not known.
    init(of totalBytes: Int?) {
        self.totalBytes = totalBytes
    }

    /// Counts bytes that were transferred.
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
