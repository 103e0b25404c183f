extension HEIFItems {
    /// Throws if an item's coded image contradicts the item's properties, since its decoder would obey the coded image.
    @discardableResult
    func checkCoded(_ item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> CodedImageInfo {
        try checkKind(of: item, bytes)
        let coded = try coded(item, bytes)
        guard coded.isPlain, try storedSize(of: item, bytes).coded.covers(coded.size, factor: 1) else {
            throw .corrupt(format, "a coded picture that contradicts its properties")
        }
        guard !coded.isLayered else { throw refusalOfLayers }
        return coded
    }

    /// Returns the properties of an item's coded image.
    func coded(_ item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> CodedImageInfo {
        if let piece = pieces(of: item).first, pieces(of: item).count == 1, piece.upperBound <= bytes.count {
            return try coded(item, bytes.extracting(piece), bytes)
        }
        let data = try data(of: item, bytes)
        return try coded(item, data.span, bytes)
    }

    private func coded(_ item: Int, _ data: Span<UInt8>, _ bytes: Span<UInt8>) throws(ImageError) -> CodedImageInfo {
        switch types[item] {
        case "hvc1": return inspected(by: HEVCInspector(), item, data, bytes)
        case "av01": return inspected(by: AV1Inspector(), item, data, bytes)
        default: throw .corrupt(format, "a derived picture in place of a coded one")
        }
    }

    private func inspected(
        by inspector: some CodedImageInspector, _ item: Int, _ data: Span<UInt8>, _ bytes: Span<UInt8>
    ) -> CodedImageInfo {
        var inspector = inspector
        if let configuration = configuration(of: item, bytes) {
            inspector.take(configuration: bytes.extracting(configuration))
        }
        inspector.take(data)
        return inspector.coded
    }

    /// Returns the range of the configuration that an item's decoder reads before the data.
    private func configuration(of item: Int, _ bytes: Span<UInt8>) -> Range<Int>? {
        let type = types[item] == "av01" ? "av1C" : "hvcC"
        return properties(of: item).first { bytes.starts(with: type, at: $0.type) }?.payload
    }

    /// Returns the input of an item's decoder: the units of its configuration, and its data.
    func codedData(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> [UInt8] {
        let data = try data(of: item, bytes)
        guard let configuration = configuration(of: item, bytes) else { return data }
        let held = bytes.extracting(configuration)
        return types[item] == "av01"
            ? AV1Inspector.units(in: held) + data
            : HEVCInspector.units(in: held)
                + HEVCInspector.units(of: data, lengthSize: HEVCInspector.lengthSize(in: held))
    }

    /// Returns an item's bytes, which may be stored in several pieces.
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

extension PixelSize {
    /// The maximum coded size of an image: codecs may code more than is shown, up to the next multiple of 64.
    var coded: PixelSize { PixelSize(width: (width + 63) / 64 * 64, height: (height + 63) / 64 * 64) }
}
