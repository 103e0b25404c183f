@testable import Imaging

/// The fuzz targets, by name.
enum Target: String, CaseIterable {
    case header, exif, jpeg, png, gif, webp, heif, hevc, animation, differential, pngDifferential, pngRows, recipe
    case scrub, rules, regex, uploadFields, session, frames, storage

    /// Tests some bytes; a crash, a hang, a leak or a trap is a finding.
    func take(_ bytes: [UInt8]) {
        switch self {
        case .header: _ = try? ImageHeader.read(bytes.span)
        case .exif: _ = EXIF.orientation(bytes.span)
        case .jpeg: render(bytes, if: [.jpeg])
        case .png: render(bytes, if: [.png])
        case .gif: render(bytes, if: [.gif])
        case .webp: render(bytes, if: [.webp])
        case .heif: render(bytes, if: [.heic, .avif])
        case .hevc:
            // Each sample is read. libavcodec accepts some images that libde265 refuses: those with damaged fields for the
            // display of a video.
            for (units, size) in HEVCOracle.images(in: bytes) { _ = HEVCOracle.ours(units, size) }
        case .animation: render(bytes, if: [.gif, .webp], as: "a=24,webp,animated,alpha")
        case .differential:
            if case .disagreement(let what) = JPEGComparison.of(bytes) { fatalError("the decoders disagree: \(what)") }
        case .pngDifferential:
            // With correct checksums, so that the contents are tested.
            var bytes = bytes
            bytes.repairChecksums()
            render(bytes, if: [.png])
            if let what = PNGOracle.disagreement(on: bytes) { fatalError("the decoders disagree: \(what)") }
        case .pngRows: takeRows(bytes)
        case .rules: RulesFuzzing.takeRules(bytes)
        case .uploadFields: UploadFieldFuzzing.take(bytes)
        case .regex: RulesFuzzing.takeRegularExpression(bytes)
        case .session:
            if let complaint = SessionModel.complaint(about: bytes) { fatalError(complaint) }
        case .frames: WireFuzzing.takeFrames(bytes)
        case .storage: StorageFuzzing.take(bytes)
        case .recipe:
            guard let recipe = try? Recipe(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
            guard (try? Recipe(parsing: recipe.description)) == recipe else {
                fatalError("\(recipe) is not read again")
            }
        case .scrub: scrub(bytes)
        }
    }

    /// Checks that an accepted file has no place left, and decodes as before.
    private func scrub(_ bytes: [UInt8]) {
        _ = EXIFScrubber.scrub(bytes)
        guard let scrubbed = try? LocationScrubber.scrub(bytes) else { return }
        guard let again = try? LocationScrubber.scrub(scrubbed.bytes), again.bytes == scrubbed.bytes,
            again.removed == []
        else { fatalError("some of \(scrubbed.removed) is left") }
        if let pieces = try? LocationScrubber.pieces(of: bytes), joined(pieces, of: bytes) != scrubbed.bytes {
            fatalError("the pieces form another file without \(scrubbed.removed)")
        }
        guard !scrubbed.removed.isEmpty else {
            guard scrubbed.bytes == bytes else { fatalError("the file changes without a removal") }
            return
        }
        guard (try? ImageHeader.read(bytes.span)) == (try? ImageHeader.read(scrubbed.bytes.span)) else {
            fatalError("the header differs without \(scrubbed.removed)")
        }
        let limits = ImageLimits(maxPixels: 100_000, maxFramePixels: 200_000, maxWorkingBytes: 32 * 1_048_576)
        guard let recipe = try? Recipe(parsing: "r=20x15,cover,alpha") else { return }
        let (before, after) = (
            try? Renderer(limits: limits).render(bytes.span, recipes: [recipe]),
            try? Renderer(limits: limits).render(scrubbed.bytes.span, recipes: [recipe])
        )
        // Damaged HEVC is decoded differently each time. A JPEG without the bytes that decoders skip may be read by another
        // decoder, which recovers more or less of other damage: a file that was refused may then be accepted.
        let isDamaged = [before, after].contains { image in
            image?.warnings.contains { $0 == .damaged || $0 == .truncated } == true
        }
        let isExact = ![.heic, .avif].contains(scrubbed.format)
        let isSame =
            isDamaged ? before == nil || after != nil : isExact ? before == after : (before == nil) == (after == nil)
        guard isSame else { fatalError("the picture differs without \(scrubbed.removed)") }
    }

    /// Returns the bytes of a file from the pieces that are kept of it.
    private func joined(_ pieces: ScrubbedPieces, of bytes: [UInt8]) -> [UInt8] {
        pieces.pieces.flatMap { piece in
            switch piece {
            case .stored(let range): Array(bytes[range])
            case .bytes(let bytes): bytes
            case .repeated(let byte, let count): [UInt8](repeating: byte, count: count)
            }
        }
    }

    /// Renders in both ways: damaged images are refused, and truncated ones accepted.
    private func render(_ bytes: [UInt8], if formats: Set<ImageFormat>, as recipe: String = "r=20x15,cover,alpha") {
        guard let format = ImageFormat.detect(bytes.span), formats.contains(format),
            let recipe = try? Recipe(parsing: recipe)
        else { return }
        for acceptsTruncated in [false, true] {
            var limits = ImageLimits(maxPixels: 200_000, maxFramePixels: 400_000, maxWorkingBytes: 32 * 1_048_576)
            limits.acceptsTruncated = acceptsTruncated
            _ = try? Renderer(limits: limits).render(bytes.span, recipes: [recipe])
        }
    }

    /// Tests rows of a PNG. The first bytes are the kind of samples and the width, all others the rows, each with its filter.
    private func takeRows(_ bytes: [UInt8]) {
        guard bytes.count > 3, bytes.count < 65_535 else { return }
        let (colorType, width) = ([0, 2, 6][Int(bytes[0] % 3)] as UInt8, Int(bytes[1]) + 1)
        let rowBytes = width * [0: 1, 2: 3, 6: 4][colorType, default: 1] + 1
        let height = (bytes.count - 2) / rowBytes
        guard height > 0 else { return }
        let rows = Array(bytes[2..<2 + height * rowBytes])
        let png = [UInt8](pngOf: rows, width: width, height: height, colorType: colorType)
        let areFiltersKnown = stride(from: 0, to: rows.count, by: rowBytes).allSatisfy { rows[$0] < 5 }
        let isOurs = (try? PNGOracle.ours(png)) != nil
        guard isOurs == areFiltersKnown else { fatalError("a filter is mistaken") }
        if let what = PNGOracle.disagreement(on: png) { fatalError("the decoders disagree: \(what)") }
    }
}
