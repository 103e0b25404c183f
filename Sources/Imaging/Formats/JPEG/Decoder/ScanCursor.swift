/// A walk through a scan's minimum coded units and the restart markers between them (T.81, E.2.4).
@safe
struct ScanCursor: ~Copyable {
    enum Unit {
        case goesOn
        /// The first unit of a restart interval, which resets the predictions.
        case restarts
        /// The expected restart marker is missing.
        case isMissing
    }

    var window: EntropyWindow
    var reader: BitReader
    private let restartInterval: Int
    private var unitsUntilRestart: Int
    private var restartCount: UInt8 = 0

    /// Creates a cursor at the beginning of a scan's data; an interval of 0 means no restart markers.
    init(scanOffset: Int, restartInterval: Int) {
        window = EntropyWindow(scanOffset: scanOffset)
        unsafe reader = unsafe window.reader()
        self.restartInterval = restartInterval
        unitsUntilRestart = restartInterval > 0 ? restartInterval : .max
    }

    /// Moves to the next unit. Restart markers are numbered from 0 to 7, repeatedly (T.81, E.1.4).
    @inline(__always)
    mutating func nextUnit(_ bytes: Span<UInt8>) -> Unit {
        unitsUntilRestart -= 1
        guard unitsUntilRestart < 0 else { return .goesOn }
        guard unsafe window.isAtEnd(&reader, from: bytes), window.marker == 0xD0 | restartCount & 7 else {
            return .isMissing
        }
        restartCount &+= 1
        window.restart()
        unsafe reader = unsafe window.reader()
        unitsUntilRestart = restartInterval - 1
        return .restarts
    }

    /// Whether all data has been read, and a marker follows that is not part of the scan.
    mutating func isAtEnd(_ bytes: Span<UInt8>) -> Bool {
        guard unsafe window.isAtEnd(&reader, from: bytes), let marker = window.marker else { return false }
        return !(0xD0...0xD7).contains(marker)
    }
}
