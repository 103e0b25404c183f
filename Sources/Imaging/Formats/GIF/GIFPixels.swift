internal import CCodecs

/// The palette indices of a GIF's frame, as far as its data gives them.
struct GIFPixels {
    /// The most bytes that are decoded at once; more is left to giflib, which holds no more than a row.
    static let maxBytes = 64 << 20
    /// The number of bytes before the first index.
    static let offset = LZWDecoder.rootCount

    /// The indices, as stored, behind the roots: fewer than the frame's pixels where data is missing.
    let indices: [UInt8]
    /// The number of rows that are whole.
    let rowCount: Int
    /// The pixels that the data does not give.
    let missing: MissingPart
    /// `truncated` where the file ends before the frame's pixels do, `damaged` where something else is wrong with them.
    let warning: ImageWarning?

    /// Decodes a frame.
    ///
    /// - Parameter offset: The place where the first block of its data begins, behind the byte that says how many bits an
    ///   index has.
    init(_ bytes: Span<UInt8>, at offset: Int, size: PixelSize) throws(ImageError) {
        let (stream, isCut) = GIFPixels.joined(bytes, at: offset)
        guard let rootBits = bytes.byte(at: offset - 1), let decoder = LZWDecoder(rootBits: Int(rootBits)) else {
            throw .corrupt(.gif, "indices of no such length")
        }
        let decoded = decoder.decode(stream.span, count: size.pixelCount)
        let count = decoded.pixels.count - GIFPixels.offset
        indices = decoded.pixels
        rowCount = size.width > 0 ? count / size.width : size.height
        missing = MissingPart(size.pixelCount - count, of: size.pixelCount)
        switch decoded.end {
        case .whole: warning = nil
        case .outOfData: warning = isCut ? .truncated : .damaged
        case .damaged: warning = .damaged
        }
    }

    /// Throws where too much is missing.
    ///
    /// - Parameter acceptsTruncated: Whether a file that ends too early is shown if a row is there.
    func check(acceptsTruncated: Bool) throws(ImageError) {
        guard !missing.isSmall else { return }
        guard warning == .truncated else { throw .corrupt(.gif, missing.words) }
        guard acceptsTruncated, rowCount > 0 else { throw .truncated(.gif, missing.words) }
    }

    /// Joins the blocks up to the empty one (GIF89a, section 15), and the decoder's slack; cut where they end before.
    private static func joined(_ bytes: Span<UInt8>, at start: Int) -> (stream: [UInt8], isCut: Bool) {
        var (stream, offset, count) = ([UInt8](), start, 0)
        while let length = bytes.byte(at: offset + count), length > 0 { count += 1 + Int(length) }
        stream.reserveCapacity(min(count, bytes.count) + LZWDecoder.slackBytes)
        var isCut = true
        while let length = bytes.byte(at: offset).map(Int.init) {
            if length == 0 {
                isCut = false
                break
            }
            unsafe bytes.extracting(offset + 1..<min(offset + 1 + length, bytes.count)).withUnsafeBufferPointer {
                unsafe stream.append(contentsOf: $0)
            }
            offset += 1 + length
        }
        stream.append(contentsOf: repeatElement(0, count: LZWDecoder.slackBytes))
        return (stream, isCut)
    }
}

extension ccodecs_gif_info {
    /// The size of the frame.
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
}
