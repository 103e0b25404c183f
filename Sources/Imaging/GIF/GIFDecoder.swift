internal import CCodecs
internal import CKernels

/// Decodes a GIF's first frame, laid on its canvas; what the frame leaves uncovered is transparent, as browsers have it.
///
/// The pixels come from our own decoder, or from giflib when that will not have them.
struct GIFDecoder: PlaneDecoder, ~Copyable {
    /// Rows a band.
    private static let bandHeight = 16

    private let handle: CodecHandle
    private var report: CodecReport
    private let frame: ccodecs_gif_info
    private let size: PixelSize
    let layouts: [PlaneLayout]
    let colorModel: ColorModel
    /// Four bytes for each palette index: premultiplied red, green, blue, and alpha.
    private let palette: [UInt8]
    /// The palette indices of the whole frame as stored, else of one row.
    private var indices: [UInt8]
    /// For each of the frame's rows the number under which it is stored; empty where only one row is there at a time.
    private let storedNumbers: [Int]
    /// Where the first of `indices` is.
    private let offset: Int
    private var nextRow = 0
    /// Whether the file ends inside one of its frames.
    private let isCut: Bool

    /// Reads up to the first frame's pixels, and these too if they can be had at once.
    ///
    /// The bytes are borrowed: they must outlive the decoder.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, header: ImageHeader, limits: ImageLimits) throws(ImageError) {
        var report = CodecReport(.gif, limits: limits)
        var frame = ccodecs_gif_info()
        var pointer: OpaquePointer?
        let code = unsafe ccodecs_gif_open(bytes.baseAddress, bytes.count, &pointer, &frame, &report.fault)
        let handle = try unsafe CodecHandle(pointer, close: ccodecs_gif_close)
        try report.check(code)
        let canvas = PixelSize(width: Int(frame.canvas_width), height: Int(frame.canvas_height))
        guard canvas == header.storedSize else { throw .corrupt(.gif, "two headers") }
        let (width, height) = (Int(frame.width), Int(frame.height))
        let isWithinLimits = width * height <= min(GIFPixels.maxBytes, limits.maxWorkingBytes)
        let whole =
            isWithinLimits
            ? unsafe GIFPixels.read(bytes.span, at: ccodecs_gif_data_offset(handle.pointer), count: width * height)
            : nil
        var pixels = whole ?? [UInt8](repeating: 0, count: width)
        if whole == nil, frame.is_interlaced {
            guard width * height <= limits.maxWorkingBytes else { throw .tooMuchMemory(.gif, limits: limits) }
            pixels = [UInt8](repeating: 0, count: width * height)
            for row in 0..<height where width > 0 {
                try GIFDecoder.readLine(handle, &report, to: &pixels, at: row * width, count: width)
            }
        }
        var storedNumbers = [Int](repeating: 0, count: whole != nil || frame.is_interlaced ? height : 0)
        if !storedNumbers.isEmpty {
            for (number, row) in frame.storedRows.enumerated() { storedNumbers[row] = number }
        }
        self.storedNumbers = storedNumbers
        indices = pixels
        offset = whole == nil ? 0 : GIFPixels.offset
        size = canvas
        colorModel = header.hasAlpha ? .rgba : .rgb
        layouts = [PlaneLayout](repeating: PlaneLayout(canvas), count: colorModel.planeCount)
        palette = frame.colors
        // Nobody else could have let it pass.
        isCut = unsafe limits.acceptsTruncated && (try? GIFHeader.read(bytes.span)) == nil
        self.frame = frame
        self.handle = handle
        self.report = report
    }

    var bandCount: Int { (size.height + GIFDecoder.bandHeight - 1) / GIFDecoder.bandHeight }

    func makeBand() -> PlaneBand {
        PlaneBand(layouts.map { _ in (width: size.width, height: GIFDecoder.bandHeight) })
    }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        let frameRows = Int(frame.top)..<Int(frame.top) + Int(frame.height)
        let isCovered = frame.left == 0 && Int(frame.width) >= size.width
        for row in 0..<min(GIFDecoder.bandHeight, size.height - nextRow) {
            defer { nextRow += 1 }
            guard frameRows.contains(nextRow) else {
                clear(row, of: &band)
                continue
            }
            if !isCovered { clear(row, of: &band) }
            try fill(row, of: &band, fromFrameRow: nextRow - frameRows.lowerBound)
        }
    }

    /// The rest of the file was walked over when the header was read.
    func finish(_ bytes: Span<UInt8>) throws(ImageError) {
        if isCut { throw .truncated(.gif) }
    }

    private func clear(_ row: Int, of band: inout PlaneBand) {
        for plane in band.planes {
            let start = plane.offset + row * plane.stride
            for index in start..<start + plane.stride { band.samples[index] = 0 }
        }
    }

    private mutating func fill(
        _ row: Int, of band: inout PlaneBand, fromFrameRow frameRow: Int
    ) throws(ImageError) {
        let (left, width) = (Int(frame.left), Int(frame.width))
        let count = min(width, size.width - left)
        guard count > 0 else { return }
        if storedNumbers.isEmpty {
            try GIFDecoder.readLine(handle, &report, to: &indices, at: 0, count: width)
        }
        let start = storedNumbers.isEmpty ? 0 : offset + storedNumbers[frameRow] * width
        let (target, planeStride) = (row * size.width + left, size.width * GIFDecoder.bandHeight)
        let source = indices.span.extracting(start..<start + count)
        unsafe band.samples.withUnsafeMutableBufferPointer { samples in
            guard let samples = samples.baseAddress else { return }
            // `makeBand` made room for `bandHeight` rows of the canvas a plane, and the row lies in it.
            unsafe source.withUnsafeBufferPointer { source in
                unsafe ckernels_look_up_pixels(
                    source.baseAddress, palette, layouts.count, samples + target, planeStride, count)
            }
        }
    }

    private static func readLine(
        _ handle: borrowing CodecHandle, _ report: inout CodecReport, to indices: inout [UInt8], at start: Int,
        count: Int
    ) throws(ImageError) {
        let pointer = unsafe handle.pointer
        let code = unsafe indices.withUnsafeMutableBufferPointer { buffer in
            let line = unsafe UnsafeMutableBufferPointer(rebasing: buffer[start..<start + count])
            return unsafe ccodecs_gif_read_line(pointer, line.baseAddress, &report.fault)
        }
        try report.check(code)
    }
}

extension ccodecs_gif_info {
    /// Four bytes for each palette index: premultiplied red, green, blue, and alpha.
    var colors: [UInt8] {
        var colors: [UInt8] = []
        unsafe withUnsafeBytes(of: palette) { palette in
            for index in 0..<256 {
                let isTransparent = index == Int(transparent_index)
                colors += isTransparent ? [0, 0, 0, 0] : unsafe palette[index * 3..<index * 3 + 3] + [255]
            }
        }
        return colors
    }

    /// The rows in the order in which they are stored.
    ///
    /// Interlaced they come in four passes: every eighth, the eighths between, the fourths, the halves (GIF89a,
    /// appendix E).
    var storedRows: [Int] {
        let rows = Int(height)
        guard is_interlaced else { return Array(0..<rows) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: rows, by: $1)) }
    }
}
