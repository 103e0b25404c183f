/// A builder of JPEGs of one grey tone that are small as files, whatever their size in pixels (ITU-T T.81).
struct JPEGBuilder {
    private(set) var bytes: [UInt8] = [0xFF, 0xD8]
    private let blockCount: Int

    enum Process: UInt8 {
        case baseline = 0xC0
        case progressive = 0xC2
    }

    /// Begins a file, up to the first scan.
    ///
    /// - Parameter factors: the sampling factors of each component, two digits each.
    init(_ width: Int, _ height: Int, _ process: Process = .baseline, factors: [UInt8] = [0x22, 0x11, 0x11]) {
        let (horizontal, vertical) = (Int(factors[0] >> 4), Int(factors[0] & 15))
        let units = (width + 8 * horizontal - 1) / (8 * horizontal) * ((height + 8 * vertical - 1) / (8 * vertical))
        blockCount = units * factors.reduce(0) { $0 + Int($1 >> 4) * Int($1 & 15) }
        add(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        let size = bigEndian(height << 16 | width)
        let components = factors.enumerated().flatMap { [UInt8($0.offset + 1), $0.element, 0] as [UInt8] }
        add(process.rawValue, [8] + size + [UInt8(factors.count)] + components)
        // The word 0 means that the DC coefficient does not change. In the other table, it means that a block ends, or,
        // in a progressive image, that at least 2^14 blocks end.
        add(0xC4, JPEGBuilder.table(0x00, symbol: 0))
        add(0xC4, JPEGBuilder.table(0x10, symbol: process == .baseline ? 0 : 0xE0))
    }

    private static func table(_ number: UInt8, symbol: UInt8) -> [UInt8] {
        [number, 1] + [UInt8](repeating: 0, count: 15) + [symbol]
    }

    mutating func add(_ marker: UInt8, _ payload: [UInt8], count: Int = 1) {
        let length = payload.count + 2
        let segment = [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
        for _ in 0..<count { bytes += segment }
    }

    mutating func add(_ more: [UInt8]) { bytes += more }

    /// Inserts segments after the start marker.
    mutating func insert(_ marker: UInt8, _ payload: [UInt8], count: Int = 1) {
        let image = bytes[2...]
        bytes = [0xFF, 0xD8]
        add(marker, payload, count: count)
        bytes += image
    }

    /// Adds the only scan of a baseline image: a bit for each block's DC coefficient, and one for its end.
    mutating func addScan(components: Int = 3) {
        let list = (1...components).flatMap { [UInt8($0), 0] as [UInt8] }
        add(0xDA, [UInt8(components)] + list + [0, 63, 0])
        bytes += [UInt8](repeating: 0, count: (blockCount * 2 + 7) / 8)
    }

    /// Adds the scan of all DC coefficients of a progressive image.
    mutating func addDCScan(components: Int = 3) {
        let list = (1...components).flatMap { [UInt8($0), 0] as [UInt8] }
        add(0xDA, [UInt8(components)] + list + [0, 0, 0])
        bytes += [UInt8](repeating: 0, count: (blockCount + 7) / 8)
    }

    /// Adds scans of a component's other coefficients, all of them zero.
    mutating func addEmptyScans(_ count: Int, component: UInt8 = 1) {
        // Runs of 2^14 blocks and 14 bits more: words of a 0 and fourteen 1s.
        let runs = (blockCount + 32_766) / 32_767
        var scan: [UInt8] = []
        var (value, bitCount) = (0, 0)
        for _ in 0..<runs {
            (value, bitCount) = (value << 15 | 0x3FFF, bitCount + 15)
            while bitCount >= 8 {
                bitCount -= 8
                let byte = UInt8(truncatingIfNeeded: value >> bitCount)
                scan += byte == 0xFF ? [0xFF, 0] : [byte]
            }
        }
        if bitCount > 0 { scan.append(UInt8(truncatingIfNeeded: value << (8 - bitCount) | 0xFF >> bitCount)) }
        for _ in 0..<count {
            add(0xDA, [1, component, 0, 1, 63, 0])
            bytes += scan
        }
    }

    /// The file with its end marker.
    var file: [UInt8] { bytes + [0xFF, 0xD9] }

    /// Returns a whole image of one scan.
    static func grey(_ width: Int, _ height: Int, factors: [UInt8] = [0x22, 0x11, 0x11]) -> JPEGBuilder {
        var jpeg = JPEGBuilder(width, height, factors: factors)
        jpeg.addScan(components: factors.count)
        return jpeg
    }
}
