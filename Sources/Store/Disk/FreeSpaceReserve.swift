package import Files

/// The space that stays free on the disk. Below it, no new uploads are accepted, so that accepted ones can be finished,
/// and so that deletions, which must be recorded before they free space, can be made.
package struct FreeSpaceReserve: Sendable, Hashable {
    /// The limits, of which the smaller one applies; without a limit, there is no reserve.
    private let bytes: Int?
    private let percent: Int?

    /// The default: 2 GiB, or 5 % of a disk that has less than 40 GiB.
    package static let standard = FreeSpaceReserve(bytes: 2 << 30, percent: 5)

    package init(bytes: Int? = nil, percent: Int? = nil) {
        self.bytes = bytes
        self.percent = percent
    }

    /// Parses `2GiB`, `5%`, both with a comma between them (the smaller one applies), a number of bytes, or `0` for
    /// none.
    package init?(_ text: String) {
        var (bytes, percent): (Int?, Int?)
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if part.hasSuffix("%") {
                guard percent == nil, let value = Self.number(part.dropLast()), value <= 90 else { return nil }
                percent = value
            } else {
                guard bytes == nil, let value = ByteAmount.read(part) else { return nil }
                bytes = value
            }
        }
        self.init(bytes: bytes, percent: percent)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil  // A sign is not allowed.
    }

    /// Returns the number of bytes that must stay free on a file system.
    package func bytes(of space: FileSystemSpace) -> Int {
        let share = percent.map { space.totalBytes / 100 * $0 }
        return min(bytes ?? share ?? 0, share ?? bytes ?? 0)
    }
}
