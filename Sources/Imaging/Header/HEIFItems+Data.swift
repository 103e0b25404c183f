extension HEIFItems {
    /// Refuses an item whose coded picture is not what its properties say: its decoder would obey it, and not them.
    ///
    /// Codecs code some more than is shown, up to the next multiple of 64.
    func checkCoded(_ item: Int, _ bytes: Span<UInt8>) throws(ImageError) {
        let (coded, isPlain) = try coded(item, bytes)
        let size = try storedSize(of: item, bytes)
        // AV1 has its sizes' numbers of bits, hence powers of two.
        func limit(_ side: Int) -> Int { (side + 63) / 64 * 64 * (types[item] == "av01" ? 2 : 1) }
        guard isPlain, coded.width <= limit(size.width), coded.height <= limit(size.height) else {
            throw .corrupt(format, "a coded picture that is not what the file says")
        }
    }

    private func coded(_ item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> (PixelSize, isPlain: Bool) {
        if let piece = pieces(of: item).first, pieces(of: item).count == 1, piece.upperBound <= bytes.count {
            return try coded(item, bytes.extracting(piece), bytes)
        }
        let data = try data(of: item, bytes)
        return try coded(item, data.span, bytes)
    }

    private func coded(
        _ item: Int, _ data: Span<UInt8>, _ bytes: Span<UInt8>
    ) throws(ImageError) -> (PixelSize, isPlain: Bool) {
        let type = types[item] ?? ""
        switch type {
        case "hvc1":
            var still = HEVCStill()
            for one in properties(of: item) where bytes.starts(with: "hvcC", at: one.type) {
                still.take(configuration: bytes.extracting(one.payload))
            }
            still.take(data)
            return (still.codedSize, still.isPlain && still.pictureCount == 1)
        case "av01":
            var still = AV1Still()
            for one in properties(of: item) where bytes.starts(with: "av1C", at: one.type) {
                still.take(configuration: bytes.extracting(one.payload))
            }
            still.take(data)
            // Layers of a picture are frames, too.
            return (still.codedSize, still.isPlain && (1...4).contains(still.frameCount))
        default:
            throw .unsupported("\(format.name) with a picture of the kind \"\(type)\"")
        }
    }

    /// An item's bytes, which may lie in pieces.
    func data(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> [UInt8] {
        var data: [UInt8] = []
        for piece in pieces(of: item) {
            guard piece.upperBound <= bytes.count else { throw .truncated(format) }
            guard data.count + piece.count <= bytes.count else { throw .corrupt(format, "pieces that overlap") }
            data += piece.map { bytes[$0] }
        }
        return data
    }
}
