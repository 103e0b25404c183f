/// The colours in the properties of a HEIC or an AVIF.
struct HEIFColors {
    /// The range of an embedded colour profile in the file; nil if there is none.
    let iccProfile: Range<Int>?
    /// The coding in an `nclx` property; nil if the coded image's own coding applies (ISO/IEC 23008-12, 6.5.5).
    let coding: ColorCoding?
    /// The light of the brightest pixel, or of the mastering screen, in cd/m²; nil if it is not specified.
    let peak: Double?

    /// Reads the colours of the first item that specifies them; for a grid, the candidates are the grid and then a
    /// tile.
    init(of candidates: [Int], in items: HEIFItems, _ bytes: Span<UInt8>) {
        let properties = candidates.flatMap { items.properties(of: $0) }
        func isColor(_ property: Boxes.Box, _ kinds: [String]) -> Bool {
            bytes.starts(with: "colr", at: property.type)
                && kinds.contains { bytes.starts(with: $0, at: property.payload.lowerBound) }
        }
        let profile = properties.first { isColor($0, ["prof", "rICC"]) }
        iccProfile = profile.map { $0.payload.dropFirst(4) }
        coding = properties.first { isColor($0, ["nclx"]) }.flatMap { HEIFColors.coding($0.payload, bytes) }
        peak = HEIFColors.peak(properties, bytes)
    }

    /// Reads primaries, transfer characteristics, matrix coefficients, and a bit for the full range (ISO/IEC 14496-12,
    /// 12.1.5).
    private static func coding(_ payload: Range<Int>, _ bytes: Span<UInt8>) -> ColorCoding? {
        var fields = Fields(in: payload.dropFirst(4))
        guard let primaries = fields.next(2, bytes), let transfer = fields.next(2, bytes),
            let matrix = fields.next(2, bytes), let range = fields.next(1, bytes)
        else { return nil }
        return ColorCoding(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
    }

    /// Reads the content's peak (`clli`), or else the mastering screen's (`mdcv`, in units of 1/10,000 cd/m²).
    private static func peak(_ properties: [Boxes.Box], _ bytes: Span<UInt8>) -> Double? {
        if let content = properties.first(where: { bytes.starts(with: "clli", at: $0.type) }),
            let peak = bytes.uint16(at: content.payload.lowerBound), peak > 0
        {
            return Double(peak)
        }
        guard let screen = properties.first(where: { bytes.starts(with: "mdcv", at: $0.type) }),
            let peak = bytes.uint32(at: screen.payload.lowerBound + 16), peak > 0
        else { return nil }
        return Double(peak) / 10_000
    }
}
