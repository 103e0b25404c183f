/// Views of a picture as its decoder gave them.
struct DecodedViews {
    let pictures: [View: Picture]
    /// What the pictures' samples mean.
    let colors: DecodedColors
    /// Whether the data ended too early, and something stands for what was missing.
    let isTruncated: Bool
    /// Whether some of the data was damaged, and what was made of it is a guess.
    var isDamaged = false
}

/// Chooses the decoder for a picture, and reads it to its end into views of it.
struct PictureDecoding {
    let header: ImageHeader
    let limits: ImageLimits

    /// Makes the views from the decoder's rows.
    func decode(_ bytes: Span<UInt8>, to views: [View]) throws(ImageError) -> DecodedViews {
        if header.format == .jpeg { return try decodeJPEG(bytes, to: views) }
        return try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
            switch header.format {
            case .jpeg: try unsafe decodeAnyJPEG(buffer, to: views)
            case .png: try unsafe decodePNG(buffer, to: views)
            case .gif:
                try read(
                    try unsafe GIFDecoder(buffer, header: header, for: largest(of: views), limits: limits), bytes,
                    to: views)
            case .heic, .avif: try decodeHEIF(bytes, to: views)
            case .webp: try decodeWebP(bytes, to: views)
            }
        }
    }

    /// By our own decoders, or by libjpeg where they will not have the picture.
    ///
    /// What ours takes for damage libjpeg may take without a word; the picture is no better for it.
    private func decodeJPEG(_ bytes: Span<UInt8>, to views: [View]) throws(ImageError) -> DecodedViews {
        var isDamaged = false
        do throws(ImageError) {
            if let decoded = try decodeUsualJPEG(bytes, to: views) { return decoded }
        } catch {
            isDamaged = error.code == .corrupt
        }
        var decoded = try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
            try unsafe decodeAnyJPEG(buffer, to: views)
        }
        if isDamaged, !decoded.isTruncated { decoded.isDamaged = true }
        return decoded
    }

    /// By our own decoders; nil when they will not have the picture.
    private func decodeUsualJPEG(_ bytes: Span<UInt8>, to views: [View]) throws(ImageError) -> DecodedViews? {
        if let frame = SequentialFrame.read(bytes) {
            guard frame.size == header.storedSize,
                let decoder = ScaledJPEGDecoder(
                    frame,
                    eighths: JPEGScale.eighths(of: frame, for: largest(of: views), chroma: largestChroma(of: views)))
            else { return nil }
            return try read(decoder, bytes, to: views, acceptsTruncated: false)
        }
        guard let progressive = ProgressiveFrame.read(bytes, maxScans: limits.scanCount(for: header.storedSize)),
            progressive.frame.size == header.storedSize,
            case let eighths = JPEGScale.eighths(
                of: progressive.frame, for: largest(of: views), chroma: largestChroma(of: views)),
            let decoder = ProgressiveDecoder(
                progressive, eighths: eighths, from: bytes, maxBytes: limits.maxWorkingBytes)
        else { return nil }
        return try read(decoder, bytes, to: views, acceptsTruncated: false)
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

    /// By our own decoder, or by libpng where it will not have the picture, or each sample is to be looked at.
    @unsafe
    private func decodePNG(
        _ buffer: UnsafeBufferPointer<UInt8>, to views: [View]
    ) throws(ImageError) -> DecodedViews {
        let bytes = unsafe buffer.span
        let samples = PNGColors(bytes).samples
        if samples == nil, let decoder = WholePNGDecoder(bytes, header: header, limits: limits),
            let decoded = try? read(decoder, bytes, to: views, acceptsTruncated: false)
        {
            return decoded
        }
        let decoder = try unsafe PNGDecoder(buffer, header: header, samples: samples, limits: limits)
        return try read(RowPlanes(decoder), bytes, to: views)
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

    private func decodeHEIF(_ bytes: Span<UInt8>, to views: [View]) throws(ImageError) -> DecodedViews {
        #if HEIF
            try HEIFDecoding(header: HEIFHeader.read(bytes, format: header.format), decoding: self)
                .decode(bytes, to: views, largest: largest(of: views))
        #else
            throw .missing("libde265 and libdav1d", for: header.format)
        #endif
    }

    private func largest(of views: [View]) -> PixelSize {
        PixelSize(width: views.map(\.scaled.width).max() ?? 1, height: views.map(\.scaled.height).max() ?? 1)
    }

    /// The most chroma samples of any of the views.
    private func largestChroma(of views: [View]) -> PixelSize {
        let full = views.filter { $0.chroma == .full }
        let halved = largest(of: views).halved
        guard !full.isEmpty else { return halved }
        let most = largest(of: full)
        return PixelSize(width: max(most.width, halved.width), height: max(most.height, halved.height))
    }

    /// Reads a decoder to its end and gives every band to each view's resampler.
    private func read(
        _ decoder: consuming some PlaneDecoder & ~Copyable, _ bytes: Span<UInt8>, to views: [View],
        colors: DecodedColors? = nil, acceptsTruncated: Bool
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
        return DecodedViews(
            pictures: pictures, colors: colors ?? DecodedColors(ColorDescription.read(bytes, format: header.format)),
            isTruncated: isTruncated, isDamaged: decoder.isDamaged && !isTruncated)
    }

    func read(
        _ decoder: consuming some PlaneDecoder & ~Copyable, _ bytes: Span<UInt8>, to views: [View],
        colors: DecodedColors? = nil
    ) throws(ImageError) -> DecodedViews {
        try read(decoder, bytes, to: views, colors: colors, acceptsTruncated: limits.acceptsTruncated)
    }
}
