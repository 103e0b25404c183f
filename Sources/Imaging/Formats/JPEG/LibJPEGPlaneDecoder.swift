internal import CCodecs

/// Decodes any grey or YCbCr JPEG with libjpeg, as planes.
struct LibJPEGPlaneDecoder: PlaneDecoder, ~Copyable {
    private var source: LibJPEGImage
    private let planes: [ccodecs_jpeg_plane]
    let layouts: [PlaneLayout]
    let bandCount: Int

    /// Starts to decode; a subsampled component may be decoded at a larger scale than requested.
    init(_ source: consuming LibJPEGImage, eighths: Int) throws(ImageError) {
        var layout = ccodecs_jpeg_planes()
        try source.report.check(
            unsafe ccodecs_jpeg_start_planes(
                source.handle.pointer, Int32(eighths), &layout, &source.report.fault))
        let all = [layout.planes.0, layout.planes.1, layout.planes.2]
        let planes = Array(all.prefix(Int(layout.count)))
        let factors = planes.map {
            SamplingFactors(horizontal: Int($0.horizontal), vertical: Int($0.vertical))
        }
        let largest = SamplingFactors(
            horizontal: factors.map(\.horizontal).max() ?? 1, vertical: factors.map(\.vertical).max() ?? 1)
        let size = source.size
        layouts = zip(factors, planes).map {
            PlaneLayout(component: $0, of: largest, in: size, eighths: Int($1.eighths))
        }
        bandCount = Int(layout.band_count)
        self.planes = planes
        self.source = source
    }

    var colorModel: ColorModel { planes.count == 1 ? .grey : .yCbCr }

    func makeBand() -> PlaneBand {
        PlaneBand(planes.map { (width: Int($0.stride), height: Int($0.band_rows)) })
    }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        // The band has the size that libjpeg requires.
        try source.report.check(
            unsafe ccodecs_jpeg_read_band(source.handle.pointer, &band.samples, &source.report.fault))
    }

    var warning: ImageWarning? { source.warning }

    mutating func finish(_ bytes: Span<UInt8>) throws(ImageError) { try source.finish() }
}
