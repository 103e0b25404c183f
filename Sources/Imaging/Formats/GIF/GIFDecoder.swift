internal import CCodecs
internal import CKernels

/// Decodes a GIF's first frame, drawn on its canvas; uncovered parts of the canvas are transparent, as in browsers.
///
/// The pixels are decoded by our own decoder, or by giflib if there are too many. If the frame covers its canvas, and
/// the canvas is at least four times the largest target, a sample is the mean of two by two pixels, which are summed
/// while their colours are looked up.
struct GIFDecoder: PlaneDecoder, ~Copyable {
    private var file: LibGIFFile
    private let frame: ccodecs_gif_info
    private let isHalved: Bool
    let layouts: [PlaneLayout]
    let colorModel: ColorModel
    /// The colours of the indices; see `colors` of `ccodecs_gif_info`.
    private let palette: [UInt64]
    /// The palette indices of the whole frame as stored; of two rows if giflib decodes row by row.
    private var indices: [UInt8]
    /// The stored position of each of the frame's rows; empty if rows are read one after the other.
    private let storedNumbers: [Int]
    /// The position of the first index in `indices`.
    private let offset: Int
    /// The number of stored rows that are present: all rows of the frame, unless some are missing.
    private let storedRowCount: Int
    /// The number of the next row to decode, in the decoded picture, which may have half the size of the stored one.
    private var nextRow = 0
    let warning: ImageWarning?

    /// Reads up to the first frame's pixels, and decodes these if it can be done at once.
    ///
    /// The bytes are borrowed and must outlive the decoder.
    @unsafe
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, header: ImageHeader, for largest: PixelSize, limits: ImageLimits
    ) throws(ImageError) {
        var file = try unsafe LibGIFFile(bytes, limits: limits)
        let frame = file.frame
        let canvas = PixelSize(width: Int(frame.canvas_width), height: Int(frame.canvas_height))
        guard canvas == header.storedSize else { throw .corrupt(.gif, "two headers") }
        let isCut = try unsafe GIFHeader.read(bytes.span).isCut
        let (width, height) = (Int(frame.width), Int(frame.height))
        let pixels = try unsafe file.pixels(bytes.span, maxBytes: min(GIFPixels.maxBytes, limits.maxWorkingBytes))
        // The missing pixels of an interlaced frame are scattered over it.
        try pixels?.check(acceptsTruncated: limits.acceptsTruncated && !frame.is_interlaced)
        var rows = [UInt8](repeating: 0, count: pixels == nil ? 2 * width : 0)
        if pixels == nil, frame.is_interlaced {
            guard width * height <= limits.maxWorkingBytes else { throw .tooMuchMemory(.gif, limits: limits) }
            rows = [UInt8](repeating: 0, count: width * height)
            for row in 0..<height where width > 0 { try file.readLine(to: &rows, at: row * width, count: width) }
        }
        var storedNumbers = [Int](repeating: 0, count: pixels != nil || frame.is_interlaced ? height : 0)
        if !storedNumbers.isEmpty {
            for (number, row) in frame.storedRows.enumerated() { storedNumbers[row] = number }
        }
        self.storedNumbers = storedNumbers
        indices = pixels?.indices ?? rows
        offset = pixels == nil ? 0 : GIFPixels.offset
        storedRowCount = pixels?.rowCount ?? height
        isHalved =
            canvas.covers(largest, factor: 4) && (frame.left, frame.top) == (0, 0)
            && PixelSize(width: width, height: height) == canvas
        colorModel = header.hasAlpha ? .rgba : .rgb
        let layout = isHalved ? PlaneLayout(halved: canvas) : PlaneLayout(canvas)
        layouts = [PlaneLayout](repeating: layout, count: colorModel.planeCount)
        palette = frame.colors
        warning = pixels?.warning ?? (isCut ? .truncated : nil)
        self.frame = frame
        self.file = file
    }

    var bandCount: Int { (rowCount + bandHeight - 1) / bandHeight }

    func makeBand() -> PlaneBand { PlaneBand(layouts.map { _ in (width: stride, height: bandHeight) }) }

    private var bandHeight: Int { isHalved ? 8 : 16 }
    private var rowCount: Int { layouts[0].vertical.count }
    private var stride: Int { layouts[0].horizontal.count }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        for row in 0..<min(bandHeight, rowCount - nextRow) {
            if isHalved {
                try halve(row, of: &band, fromFrameRow: nextRow * 2)
            } else {
                try fill(row, of: &band, fromFrameRow: nextRow - Int(frame.top))
            }
            nextRow += 1
        }
    }

    /// Does nothing: the rest of the file was checked when the header was read.
    func finish(_ bytes: Span<UInt8>) {}

    /// Fills a row with the frame's pixels, with transparent ones outside the frame, and with grey where data is
    /// missing.
    private mutating func fill(
        _ row: Int, of band: inout PlaneBand, fromFrameRow frameRow: Int
    ) throws(ImageError) {
        let isInside = frameRow >= 0 && frameRow < Int(frame.height)
        let left = Int(frame.left)
        let count = isInside ? min(Int(frame.width), stride - left) : 0
        if count < stride { fill(row, of: &band, with: 0) }
        guard count > 0 else { return }
        guard let start = try rowStart(frameRow) else { return fill(row, of: &band, with: missingSample) }
        let (target, planeStride) = (row * stride + left, stride * bandHeight)
        let row = indices.span.extracting(start..<start + count)
        unsafe band.samples.withUnsafeMutableBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            // A plane of `makeBand` has `bandHeight` rows of the canvas, and `left + count <= stride`.
            unsafe row.withUnsafeBufferPointer { row in
                unsafe ckernels_look_up_pixels(
                    row.baseAddress, palette, layouts.count, samples + target, planeStride, count)
            }
        }
    }

    /// The sample for missing data: grey, or transparent if there is alpha.
    private var missingSample: UInt8 { colorModel == .rgba ? 0 : 128 }

    private func fill(_ row: Int, of band: inout PlaneBand, with sample: UInt8) {
        for plane in band.planes {
            let start = plane.offset + row * plane.stride
            for index in start..<start + plane.stride { band.samples[index] = sample }
        }
    }

    /// Fills a row with the means of two rows of the frame, which covers the canvas; the last row counts twice if their
    /// number is odd.
    private mutating func halve(
        _ row: Int, of band: inout PlaneBand, fromFrameRow frameRow: Int
    ) throws(ImageError) {
        let width = Int(frame.width)
        precondition((width + 1) / 2 == stride, "the frame is the canvas, or `isHalved` is false")
        guard let first = try rowStart(frameRow) else { return fill(row, of: &band, with: missingSample) }
        let second = frameRow + 1 < Int(frame.height) ? try rowStart(frameRow + 1) ?? first : first
        let (target, planeStride) = (row * stride, stride * bandHeight)
        let upper = indices.span.extracting(first..<first + width)
        let lower = indices.span.extracting(second..<second + width)
        unsafe band.samples.withUnsafeMutableBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            // A plane of `makeBand` has `bandHeight` rows of `stride` samples, and this is one of them.
            unsafe upper.withUnsafeBufferPointer { upper in
                unsafe lower.withUnsafeBufferPointer { lower in
                    unsafe ckernels_look_up_quads(
                        upper.baseAddress, lower.baseAddress, palette, layouts.count, samples + target, planeStride,
                        width)
                }
            }
        }
    }

    /// Returns the position in `indices` of the beginning of a frame's row; nil if its data is missing.
    ///
    /// If giflib decodes row by row, this reads the next row: each row must then be requested once, and in order. A
    /// missing row of an interlaced frame is replaced by the row above it, as browsers show it while it loads.
    private mutating func rowStart(_ frameRow: Int) throws(ImageError) -> Int? {
        let width = Int(frame.width)
        if !storedNumbers.isEmpty {
            let above = frame.is_interlaced ? 0 : frameRow
            let shown = (above...frameRow).last { storedNumbers[$0] < storedRowCount }
            return shown.map { offset + storedNumbers[$0] * width }
        }
        let start = frameRow % 2 * width
        try file.readLine(to: &indices, at: start, count: width)
        return start
    }
}

extension ccodecs_gif_info {
    /// The premultiplied red, green, blue and alpha of each palette index, 16 bits each, red in the lowest.
    var colors: [UInt64] {
        unsafe withUnsafeBytes(of: palette) { palette in
            (0..<256).map { index in
                if index == Int(transparent_index) { return 0 }
                let (red, green, blue) = unsafe (palette[index * 3], palette[index * 3 + 1], palette[index * 3 + 2])
                return UInt64(red) | UInt64(green) << 16 | UInt64(blue) << 32 | 255 << 48
            }
        }
    }

    /// The rows in the order in which they are stored.
    ///
    /// Interlaced rows are stored in four passes: every eighth row, those halfway between, every fourth, and every
    /// second (GIF89a, appendix E).
    var storedRows: [Int] {
        let rows = Int(height)
        guard is_interlaced else { return Array(0..<rows) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: rows, by: $1)) }
    }
}
