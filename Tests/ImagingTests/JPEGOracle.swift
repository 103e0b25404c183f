@testable import Imaging

/// The planes of a decoded image, each as large as its layout specifies.
struct DecodedPlanes: Hashable {
    var layouts: [PlaneLayout] = []
    var samples: [[UInt8]] = []
    var warning: ImageWarning?

    /// Reads all rows of a decoder.
    init(_ decoder: consuming some PlaneDecoder & ~Copyable, from bytes: Span<UInt8>) throws(ImageError) {
        layouts = decoder.layouts
        samples = layouts.map { _ in [] }
        var band = decoder.makeBand()
        for _ in 0..<decoder.bandCount {
            try decoder.decode(into: &band, from: bytes)
            for (index, plane) in band.planes.enumerated() { append(plane, index, of: band) }
        }
        try decoder.finish(bytes)
        warning = decoder.warning
    }

    private mutating func append(_ plane: PlaneBand.Plane, _ index: Int, of band: PlaneBand) {
        let (width, height) = (layouts[index].horizontal.count, layouts[index].vertical.count)
        for row in 0..<plane.rowCount where samples[index].count < width * height {
            let start = plane.offset + row * plane.stride
            samples[index] += band.samples[start..<start + width]
        }
    }
}

/// The two decoders that are compared with each other, each at one scale.
enum JPEGOracle {
    /// Returns the planes from our decoder; nil if it leaves the image to libjpeg.
    static func ours(_ bytes: [UInt8], eighths: [Int]) -> DecodedPlanes? {
        guard let frame = SequentialFrame.read(bytes.span) else { return nil }
        let scales = frame.components.indices.map { eighths[min($0, eighths.count - 1)] }
        guard let decoder = ScaledJPEGDecoder(frame, eighths: scales) else { return nil }
        return try? DecodedPlanes(decoder, from: bytes.span)
    }

    /// Returns the planes of a progressive image from our decoder; nil if it leaves the image to libjpeg.
    static func oursOfProgressive(_ bytes: [UInt8], eighths: [Int]) -> DecodedPlanes? {
        guard let frame = ProgressiveFrame.read(bytes.span, maxScans: 100) else { return nil }
        let scales = frame.frame.components.indices.map { eighths[min($0, eighths.count - 1)] }
        guard let decoder = ProgressiveDecoder(frame, eighths: scales, from: bytes.span, maxBytes: 1 << 30) else {
            return nil
        }
        return try? DecodedPlanes(decoder, from: bytes.span)
    }

    /// Returns the pixels from libjpeg.
    static func pixels(_ bytes: [UInt8]) throws(ImageError) -> PixelBuffer {
        let header = try ImageHeader.read(bytes.span)
        return try bytes.span.withUnsafeBufferPointer { buffer throws(ImageError) in
            let rows = try LibJPEGRowDecoder(
                try LibJPEGImage(buffer, header: header, limits: ImageLimits()), eighths: 8)
            let colorModel = rows.colorModel
            let planes = try DecodedPlanes(DeinterleavingDecoder(rows), from: buffer.span)
            let image = PlanarImage(
                colorModel: colorModel, size: header.storedSize,
                planes: zip(planes.layouts, planes.samples).map { Plane(layout: $0, samples: $1) })
            return image.inSRGB(.none).pixels() ?? PixelBuffer(size: header.storedSize, channels: 1)
        }
    }

    /// Returns the planes from libjpeg; throws if libjpeg warns of damage.
    static func libjpeg(_ bytes: [UInt8], eighths: Int) throws(ImageError) -> DecodedPlanes {
        let header = try ImageHeader.read(bytes.span)
        return try bytes.span.withUnsafeBufferPointer { buffer throws(ImageError) in
            let source = try LibJPEGImage(buffer, header: header, limits: ImageLimits())
            guard source.isPlanar else { throw .unsupported("another colour model") }
            let planes = try DecodedPlanes(LibJPEGPlaneDecoder(source, eighths: eighths), from: buffer.span)
            guard planes.warning == nil else { throw .corrupt(.jpeg, "libjpeg warns") }
            return planes
        }
    }
}
