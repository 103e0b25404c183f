/// Views of a picture as its decoder gave them.
struct DecodedViews {
    let pictures: [View: Picture]
    /// Whether the data ended too early, and something stands for what was missing.
    let isTruncated: Bool
}

/// Chooses the decoder for a picture, and reads it to its end into views of it.
struct PictureDecoding {
    let header: ImageHeader
    let limits: ImageLimits

    /// Makes the views from the decoder's rows.
    func decode(_ bytes: Span<UInt8>, to views: [View]) throws(ImageError) -> DecodedViews {
        if header.format == .jpeg, let decoded = decodeUsualJPEG(bytes, to: views) { return decoded }
        if header.format == .png, let decoded = decodeUsualPNG(bytes, to: views) { return decoded }
        return try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
            switch header.format {
            case .jpeg: try unsafe decodeAnyJPEG(buffer, to: views)
            case .png:
                try read(RowPlanes(try unsafe PNGDecoder(buffer, header: header, limits: limits)), bytes, to: views)
            case .gif:
                try read(
                    try unsafe GIFDecoder(buffer, header: header, for: largest(of: views), limits: limits), bytes,
                    to: views)
            case .heic, .avif: try unsafe decodeHEIF(buffer, to: views)
            case .webp: try decodeWebP(bytes, to: views)
            }
        }
    }

    /// By our own decoders; nil when they will not have the picture, and libjpeg is to decode or to refuse it.
    private func decodeUsualJPEG(_ bytes: Span<UInt8>, to views: [View]) -> DecodedViews? {
        if let frame = SequentialFrame.read(bytes) {
            guard frame.size == header.storedSize,
                let decoder = ScaledJPEGDecoder(frame, eighths: JPEGScale.eighths(of: frame, for: largest(of: views)))
            else { return nil }
            return try? read(decoder, bytes, to: views, acceptsTruncated: false)
        }
        guard let progressive = ProgressiveFrame.read(bytes, maxScans: limits.maxScans),
            progressive.frame.size == header.storedSize,
            case let eighths = JPEGScale.eighths(of: progressive.frame, for: largest(of: views)),
            eighths.allSatisfy({ $0 == 1 }) || header.storedSize.pixelCount <= limits.maxProgressivePixels,
            let decoder = ProgressiveDecoder(
                progressive, eighths: eighths, from: bytes, maxBytes: limits.maxWorkingBytes)
        else { return nil }
        return try? read(decoder, bytes, to: views, acceptsTruncated: false)
    }

    @unsafe
    private func decodeAnyJPEG(
        _ buffer: UnsafeBufferPointer<UInt8>, to views: [View]
    ) throws(ImageError) -> DecodedViews {
        try unsafe JPEGScans.check(buffer.span, size: header.storedSize, limits: limits)
        let source = try unsafe JPEGSource(buffer, header: header, limits: limits)
        let eighths = JPEGScale.eighths(of: source.size, for: largest(of: views), isTransformSharp: false)
        let bytes = unsafe buffer.span
        return source.isPlanar
            ? try read(JPEGPlaneDecoder(source, eighths: eighths), bytes, to: views)
            : try read(RowPlanes(JPEGRowDecoder(source, eighths: eighths)), bytes, to: views)
    }

    /// By our own decoder; nil when it will not have the picture, and libpng is to decode or to refuse it.
    private func decodeUsualPNG(_ bytes: Span<UInt8>, to views: [View]) -> DecodedViews? {
        guard let decoder = WholePNGDecoder(bytes, header: header, limits: limits) else { return nil }
        return try? read(decoder, bytes, to: views, acceptsTruncated: false)
    }

    private func decodeWebP(_ bytes: Span<UInt8>, to views: [View]) throws(ImageError) -> DecodedViews {
        #if WebP
            let first = try WebPHeader.read(bytes).first
            if first.frame.size == header.storedSize, first.frame.isLossy, !first.frame.hasAlpha {
                let decoder = try WebPPlaneDecoder(first.frame, for: largest(of: views), limits: limits)
                return try read(decoder, bytes, to: views)
            }
            let pixels = try first.frame.pixels(bytes, limits: limits)
            let canvas = pixels.laid(left: first.left, top: first.top, on: header.storedSize)
            return try read(RowPlanes(PixelRows(canvas)), bytes, to: views)
        #else
            throw .missing("libwebp", for: .webp)
        #endif
    }

    @unsafe
    private func decodeHEIF(
        _ buffer: UnsafeBufferPointer<UInt8>, to views: [View]
    ) throws(ImageError) -> DecodedViews {
        #if HEIF
            let bytes = unsafe buffer.span
            let whole = try HEIFHeader.read(bytes, format: header.format)
            let decoder = try unsafe HEIFDecoder(buffer, header: whole, for: largest(of: views), limits: limits)
            return try read(RowPlanes(decoder), bytes, to: views)
        #else
            throw .missing("libheif", for: header.format)
        #endif
    }

    private func largest(of views: [View]) -> PixelSize {
        PixelSize(width: views.map(\.scaled.width).max() ?? 1, height: views.map(\.scaled.height).max() ?? 1)
    }

    /// Reads a decoder to its end and gives every band to each view's resampler.
    private func read(
        _ decoder: consuming some PlaneDecoder & ~Copyable, _ bytes: Span<UInt8>, to views: [View],
        acceptsTruncated: Bool
    ) throws(ImageError) -> DecodedViews {
        var decoder = decoder
        var resamplers = views.map { PictureResampler($0, of: decoder.colorModel, layouts: decoder.layouts) }
        var band = decoder.makeBand()
        var isTruncated = false
        for number in 0..<decoder.bandCount {
            do throws(ImageError) {
                if !isTruncated { try decoder.decode(into: &band, from: bytes) }
            } catch {
                guard acceptsTruncated, error.code == .truncated, number > 0 else { throw error }
                isTruncated = true
                band.fill(with: decoder.colorModel == .rgba ? 0 : 128)
            }
            for index in resamplers.indices { resamplers[index].push(band) }
        }
        do throws(ImageError) {
            if !isTruncated { try decoder.finish(bytes) }
        } catch {
            guard acceptsTruncated, error.code == .truncated else { throw error }
            isTruncated = true
        }
        let pictures = Dictionary(zip(views, resamplers.map(\.picture))) { first, _ in first }
        return DecodedViews(pictures: pictures, isTruncated: isTruncated)
    }

    func read(
        _ decoder: consuming some PlaneDecoder & ~Copyable, _ bytes: Span<UInt8>, to views: [View]
    ) throws(ImageError) -> DecodedViews {
        try read(decoder, bytes, to: views, acceptsTruncated: limits.acceptsTruncated)
    }
}
