extension ColorConversion {
    /// The conversion for an image of a colour model; unknown if it is for samples of another kind.
    func fitted(to model: ColorModel) -> ColorConversion {
        guard case .by(let transform) = self else { return self }
        return switch (transform.inputModel, model) {
        case (.cmyk, .cmyk), (.rgb, .grey), (.rgb, .rgb), (.rgb, .rgba), (.rgb, .yCbCr): self
        // A grey PNG with alpha is decoded to RGBA.
        case (.grey, .grey), (.grey, .rgba): self
        default: .unknown
        }
    }
}

extension PlanarImage {
    /// Converts the image to sRGB. The planes keep their layouts; the four planes of a CMYK image become three.
    ///
    /// - Parameters:
    ///   - conversion: A conversion that fits the image's model.
    ///   - matrix: The matrix of the image's luma and colour differences; the result has JPEG's.
    func inSRGB(_ conversion: ColorConversion, matrix: YCbCrMatrix = .jpeg) -> PlanarImage {
        guard case .by(let transform) = conversion else {
            if colorModel == .yCbCr, matrix != .jpeg { return convertedYCbCr(matrix, nil) }
            return colorModel == .cmyk ? inkToLight() : self
        }
        switch (colorModel, transform.inputModel) {
        case (.grey, _): return mapped(by: transform.greyTable())
        case (.rgba, _): return convertedRGBA(transform)
        case (.yCbCr, _): return convertedYCbCr(matrix, transform)
        case (.rgb, _), (.cmyk, _): return convertedRows(transform)
        }
    }

    private func mapped(by table: [UInt8]) -> PlanarImage {
        PlanarImage(
            colorModel: colorModel, size: size,
            planes: planes.map { Plane(layout: $0.layout, samples: $0.samples.map { table[Int($0)] }) })
    }

    /// Converts CMYK without a profile: each colour is the light that neither its ink nor the black absorbs.
    private func inkToLight() -> PlanarImage {
        guard planes.count == 4 else { return self }
        let black = planes[3].samples
        let light = planes.prefix(3).map { plane in
            Plane(
                layout: plane.layout,
                samples: zip(plane.samples, black).map { UInt8((Int($0) * Int($1) + 127) / 255) })
        }
        return PlanarImage(colorModel: .rgb, size: size, planes: light)
    }

    /// Converts, row by row, an image whose planes all have one sample per pixel.
    private func convertedRows(_ transform: ColorTransform) -> PlanarImage {
        let (width, channels) = (size.width, transform.inputModel.channels)
        guard planes.count == channels, planes.allSatisfy({ $0.size == size }) else { return self }
        var samples = [UInt8](repeating: 0, count: width * channels)
        var rgb = [UInt8](repeating: 0, count: width * 3)
        var converted = [[UInt8]](repeating: [], count: 3)
        for row in 0..<size.height {
            for (channel, plane) in planes.enumerated() {
                for x in 0..<width { samples[x * channels + channel] = plane.samples[row * width + x] }
            }
            var span = rgb.mutableSpan
            transform.convert(samples.span, into: &span)
            for channel in 0..<3 {
                for x in 0..<width { converted[channel].append(rgb[x * 3 + channel]) }
            }
        }
        let layouts = planes.map(\.layout)
        return PlanarImage(
            colorModel: .rgb, size: size, planes: (0..<3).map { Plane(layout: layouts[$0], samples: converted[$0]) })
    }

    /// Converts an image with alpha; the colours are divided by alpha first, since a profile describes unmultiplied
    /// colours.
    private func convertedRGBA(_ transform: ColorTransform) -> PlanarImage {
        guard let pixels = pixels()?.unpremultiplied() else { return self }
        let table = transform.inputModel == .grey ? transform.greyTable() : []
        var rgb: [UInt8] = []
        rgb.reserveCapacity(size.pixelCount * 3)
        for start in stride(from: 0, to: pixels.bytes.count, by: 4) { rgb += pixels.bytes[start..<start + 3] }
        rgb = table.isEmpty ? transform.converted(rgb) : rgb.map { table[Int($0)] }
        var planes = planes
        for pixel in 0..<size.pixelCount {
            let alpha = Int(pixels.bytes[pixel * 4 + 3])
            for channel in 0..<3 {
                planes[channel].samples[pixel] = UInt8((Int(rgb[pixel * 3 + channel]) * alpha + 127) / 255)
            }
        }
        return PlanarImage(colorModel: .rgba, size: size, planes: planes)
    }
}
