/// Writes a file with AV1 images (AV1 Image File Format 1.1; ISO/IEC 23008-12 and 14496-12).
struct AVIFBoxes {
    /// An image from an AV1 encoder.
    struct Item {
        /// The coded data, without the temporal delimiter.
        let data: ArraySlice<UInt8>
        let isGrey: Bool
        let isChromaFull: Bool

        /// - Parameter units: Open bitstream units, beginning with a temporal delimiter of two bytes.
        init(units: [UInt8], isGrey: Bool, isChromaFull: Bool) {
            data = units.dropFirst(units.starts(with: [0x12, 0]) ? 2 : 0)
            self.isGrey = isGrey
            self.isChromaFull = isChromaFull
        }

        /// The decoder's configuration; in the short sequence header, the level is the five bits after the first five.
        fileprivate var configuration: [UInt8] {
            let start = data.startIndex + 2
            let level = data.count > 4 ? (data[start] & 7) << 2 | data[start + 1] >> 6 : 31
            let profile: UInt8 = isChromaFull ? 1 : 0
            let sampling: UInt8 = isGrey ? 0x1C : isChromaFull ? 0 : 0x0C
            return AVIFBoxes.box("av1C", [0x81, profile << 5 | level, sampling, 0])
        }
    }

    let size: PixelSize
    let color: Item
    let alpha: Item?

    /// The bytes of the whole file.
    var file: [UInt8] {
        let brands = ["avif", "mif1", "miaf", color.isChromaFull ? "MA1A" : "MA1B"].joined()
        let type = AVIFBoxes.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array(brands.utf8))
        // Offsets are relative to the file's beginning, and have a fixed length.
        let start = type.count + meta(dataStart: 0).count + 8
        let data = color.data + (alpha?.data ?? [])
        return type + meta(dataStart: start) + AVIFBoxes.box("mdat", Array(data))
    }

    private func meta(dataStart: Int) -> [UInt8] {
        let handler = AVIFBoxes.box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + AVIFBoxes.zeros(13))
        let primary = AVIFBoxes.box("pitm", [0, 0, 0, 0, 0, 1])
        return AVIFBoxes.box(
            "meta", [0, 0, 0, 0] + handler + primary + locations(dataStart) + names + references + properties)
    }

    private var items: [Item] { [color] + (alpha.map { [$0] } ?? []) }

    private func locations(_ dataStart: Int) -> [UInt8] {
        var entries: [UInt8] = []
        var offset = dataStart
        for (number, item) in items.enumerated() {
            // The item, its file, and a single extent: an offset and a length.
            entries += [0, UInt8(number + 1), 0, 0, 0, 1] + AVIFBoxes.word(offset) + AVIFBoxes.word(item.data.count)
            offset += item.data.count
        }
        return AVIFBoxes.box("iloc", [0, 0, 0, 0, 0x44, 0, 0, UInt8(items.count)] + entries)
    }

    private var names: [UInt8] {
        var entries: [UInt8] = []
        for number in items.indices {
            entries += AVIFBoxes.box("infe", [2, 0, 0, 0, 0, UInt8(number + 1), 0, 0] + Array("av01".utf8) + [0])
        }
        return AVIFBoxes.box("iinf", [0, 0, 0, 0, 0, UInt8(items.count)] + entries)
    }

    private var references: [UInt8] {
        guard alpha != nil else { return [] }
        return AVIFBoxes.box("iref", [0, 0, 0, 0] + AVIFBoxes.box("auxl", [0, 2, 0, 1, 0, 1]))
    }

    /// The properties: the size, the colours (sRGB with BT.601's matrix, full range), and each item's depths and
    /// configuration.
    private var properties: [UInt8] {
        let extents = AVIFBoxes.box("ispe", [0, 0, 0, 0] + AVIFBoxes.word(size.width) + AVIFBoxes.word(size.height))
        let colors = AVIFBoxes.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 6, 0x80])
        var all: [[UInt8]] = [extents, colors, AVIFBoxes.depths(color), color.configuration]
        // The properties of each item; the highest bit marks those that decoders must understand.
        var associations: [[UInt8]] = [[1, 2, 3, 0x84]]
        if let alpha {
            let kind = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8) + [0]
            all += [AVIFBoxes.depths(alpha), alpha.configuration, AVIFBoxes.box("auxC", [0, 0, 0, 0] + kind)]
            associations.append([1, 5, 0x86, 7])
        }
        var entries: [UInt8] = []
        for (number, properties) in associations.enumerated() {
            entries += [0, UInt8(number + 1), UInt8(properties.count)] + properties
        }
        let container = AVIFBoxes.box("ipco", Array(all.joined()))
        let association = AVIFBoxes.box("ipma", [0, 0, 0, 0] + AVIFBoxes.word(associations.count) + entries)
        return AVIFBoxes.box("iprp", container + association)
    }

    private static func depths(_ item: Item) -> [UInt8] {
        box("pixi", [0, 0, 0, 0] + (item.isGrey ? [1, 8] : [3, 8, 8, 8]))
    }

    private static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        word(payload.count + 8) + Array(type.utf8) + payload
    }

    private static func word(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
