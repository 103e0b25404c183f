/// The images of the requested sizes, as decoded.
struct DecodedImages {
    let images: [ResizeTarget: PlanarImage]
    /// The meaning of the images' samples.
    let colors: DecodedColors
    /// `truncated` if the data ended too early and the missing part was filled; `damaged` if some of the data was
    /// damaged, so that its samples are estimates; nil if there is no fault.
    var warning: ImageWarning?
}

/// Decodes an image once, into all requested sizes; the codec of its format supplies the decoder.
struct ImageReader {
    let header: ImageHeader
    let limits: ImageLimits
    let targets: [ResizeTarget]

    /// The smallest size that is at least as wide and as high as every target, as stored.
    var largest: PixelSize { ImageReader.largest(of: targets) }

    /// The maximum number of chroma samples along each side of any target.
    var largestChroma: PixelSize {
        let full = targets.filter { $0.chroma == .full }
        let halved = largest.halved
        guard !full.isEmpty else { return halved }
        let most = ImageReader.largest(of: full)
        return PixelSize(width: max(most.width, halved.width), height: max(most.height, halved.height))
    }

    private static func largest(of targets: [ResizeTarget]) -> PixelSize {
        PixelSize(width: targets.map(\.scaled.width).max() ?? 1, height: targets.map(\.scaled.height).max() ?? 1)
    }

    /// Reads a decoder to its end and passes every band to each target's resampler.
    ///
    /// If the data ends too early, the missing bands are grey or transparent, provided that they are few or that the
    /// limits accept it.
    ///
    /// - Parameter isStrict: Whether data that ends too early is refused even if the limits accept it, because another
    ///   decoder will be tried.
    func read(
        _ decoder: consuming some PlaneDecoder & ~Copyable, _ bytes: Span<UInt8>, colors: DecodedColors,
        isStrict: Bool = false
    ) throws(ImageError) -> DecodedImages {
        var decoder = decoder
        var resamplers = targets.map { ImageResampler($0, of: decoder.colorModel, layouts: decoder.layouts) }
        var band = decoder.makeBand()
        var isTruncated = false
        for number in 0..<decoder.bandCount {
            do throws(ImageError) {
                if !isTruncated { try decoder.decode(into: &band, from: bytes) }
            } catch {
                let missing = MissingPart(decoder.bandCount - number, of: decoder.bandCount)
                guard error.code == .truncated, !isStrict, number > 0, missing.isSmall || limits.acceptsTruncated
                else { throw error }
                isTruncated = true
                band.fill(with: decoder.colorModel == .rgba ? 0 : 128)
            }
            for index in resamplers.indices { resamplers[index].push(band) }
        }
        do throws(ImageError) {
            if !isTruncated { try decoder.finish(bytes) }
        } catch {
            guard error.code == .truncated, !isStrict, limits.acceptsTruncated else { throw error }
            isTruncated = true
        }
        let images = Dictionary(zip(targets, resamplers.map(\.image))) { first, _ in first }
        return DecodedImages(images: images, colors: colors, warning: isTruncated ? .truncated : decoder.warning)
    }
}
