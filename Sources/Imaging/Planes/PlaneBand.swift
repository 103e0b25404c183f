/// Some rows of each plane of an image, filled by a decoder.
struct PlaneBand: Sendable {
    /// The position of a plane's rows in `samples`.
    struct Plane: Sendable {
        let offset: Int
        /// The number of samples in a row, which may be larger than the image's.
        let stride: Int
        let rowCount: Int
    }

    let planes: [Plane]
    var samples: [UInt8]

    init(_ sizes: [(width: Int, height: Int)]) {
        var planes: [Plane] = []
        var end = 0
        for size in sizes {
            planes.append(Plane(offset: end, stride: size.width, rowCount: size.height))
            end += size.width * size.height
        }
        self.planes = planes
        samples = [UInt8](repeating: 0, count: end)
    }

    /// Overwrites all samples.
    mutating func fill(with sample: UInt8) {
        for index in samples.indices { samples[index] = sample }
    }
}
