/// Samples of one kind, rows from the top, and their position on the image.
struct Plane: Sendable, Hashable {
    let layout: PlaneLayout
    var samples: [UInt8]

    var size: PixelSize { PixelSize(width: layout.horizontal.count, height: layout.vertical.count) }

    /// Returns the plane turned upright. Its layout becomes one sample per pixel, so this is for finished images only.
    func upright(_ orientation: Orientation) -> Plane {
        guard orientation != .up else { return self }
        let (stored, turned) = (size, orientation.applied(to: size))
        // The offsets in the stored samples for one step to the right, and for one step down, in the upright plane.
        let first = offset(orientation.storedPosition(x: 0, y: 0, in: stored))
        let right = offset(orientation.storedPosition(x: 1, y: 0, in: stored)) - first
        let down = offset(orientation.storedPosition(x: 0, y: 1, in: stored)) - first
        let source = samples.span
        let result = unsafe [UInt8](unsafeUninitializedCapacity: samples.count) { result, count in
            for y in 0..<turned.height {
                var position = first + y * down
                for _ in 0..<turned.width {
                    // The loops write each of the `samples.count` samples once.
                    unsafe result[count] = source[position]
                    count += 1
                    position += right
                }
            }
        }
        return Plane(layout: PlaneLayout(turned), samples: result)
    }

    private func offset(_ position: (x: Int, y: Int)) -> Int { position.y * size.width + position.x }
}

/// An image as planes: the output of decoders and of resampling, and the input of the encoders of JPEG and others.
struct PlanarImage: Sendable, Hashable {
    let colorModel: ColorModel
    /// The size in pixels; chroma may have fewer samples.
    let size: PixelSize
    let planes: [Plane]

    /// Returns the image turned upright.
    func upright(_ orientation: Orientation) -> PlanarImage {
        PlanarImage(
            colorModel: colorModel, size: orientation.applied(to: size), planes: planes.map { $0.upright(orientation) })
    }
}
