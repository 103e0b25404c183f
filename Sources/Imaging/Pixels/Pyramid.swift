/// A picture at all the sizes that are asked for, from one decode; as stored, not yet turned upright.
///
/// A smaller picture is made from the next larger one that has at least 1.25 times its pixels along both sides: at
/// such a step a second filtering leaves no trace. A size that has no such larger one is made from the decoder's rows.
struct Pyramid {
    private var pictures: [PixelSize: PixelBuffer] = [:]

    /// Decodes the picture; `sizes` are as stored, and none is larger than the picture.
    init(decoding bytes: Span<UInt8>, header: ImageHeader, sizes: [PixelSize], limits: ImageLimits) throws(ImageError) {
        let levels = Pyramid.levels(of: sizes)
        pictures = try Pyramid.decode(
            bytes, header: header, sizes: levels.filter { $0.source == nil }.map(\.size), limits: limits)
        for level in levels {
            if let source = level.source { pictures[level.size] = pictures[source]?.resampled(to: level.size) }
        }
    }

    /// The picture at one of the sizes that were asked for.
    subscript(size: PixelSize) -> PixelBuffer? { pictures[size] }
}

extension Pyramid {
    /// A size and the larger one that it is made from; nil: from the decoder's rows.
    struct Level: Equatable {
        let size: PixelSize
        let source: PixelSize?
    }

    /// All sizes once, the largest first, each after the one that it is made from.
    static func levels(of sizes: [PixelSize]) -> [Level] {
        var levels: [Level] = []
        for size in Set(sizes).sorted(by: { ($0.pixelCount, $0.width) > ($1.pixelCount, $1.width) }) {
            let source = levels.last { $0.size.covers(size, factor: 1.25) }
            levels.append(Level(size: size, source: source?.size))
        }
        return levels
    }

    private static func decode(
        _ bytes: Span<UInt8>, header: ImageHeader, sizes: [PixelSize], limits: ImageLimits
    ) throws(ImageError) -> [PixelSize: PixelBuffer] {
        let largest = PixelSize(width: sizes.map(\.width).max() ?? 1, height: sizes.map(\.height).max() ?? 1)
        return try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
            switch header.format {
            case .jpeg:
                try resample(
                    try unsafe JPEGDecoder(buffer, header: header, largest: largest, limits: limits), to: sizes)
            case .png: try resample(try unsafe PNGDecoder(buffer, header: header, limits: limits), to: sizes)
            case .gif: try resample(try unsafe GIFDecoder(buffer, header: header, limits: limits), to: sizes)
            }
        }
    }

    /// Reads a decoder to its end and gives every row to each size's resampler.
    private static func resample(
        _ decoder: consuming some RowDecoder & ~Copyable, to sizes: [PixelSize]
    ) throws(ImageError) -> [PixelSize: PixelBuffer] {
        var decoder = decoder
        let layout = decoder.layout
        var resamplers = sizes.map { Resampler(from: layout, to: $0) }
        var row = [UInt8](repeating: 0, count: layout.bytesPerRow)
        for _ in 0..<layout.size.height {
            var span = row.mutableSpan
            try decoder.readRow(into: &span)
            for index in resamplers.indices { resamplers[index].push(row.span) }
        }
        try decoder.finish()
        return Dictionary(zip(sizes, resamplers.map(\.picture))) { first, _ in first }
    }
}
