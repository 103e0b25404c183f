/// A recipe for renditions: a box, how an image fits it, and how it is encoded.
public struct Recipe: Sendable, Hashable {
    /// The way in which an image that has not the box's proportions meets it.
    ///
    /// Neither way ever enlarges an image.
    public enum Fit: String, Sendable, Hashable, CaseIterable {
        /// The whole image, as large as fits inside the box.
        case inside
        /// The image as small as covers the box; what hangs over is cut off evenly on both sides.
        case cover
    }

    /// The kind of file as which a rendition is written.
    public enum Encoding: String, Sendable, Hashable, CaseIterable {
        /// A baseline JPEG; where alpha is kept, a PNG.
        case jpeg
        /// A progressive JPEG, which is slower to make and a little smaller; where alpha is kept, a PNG.
        case progressiveJPEG = "progressive"
        /// A lossy WebP, with alpha where it is kept; of an animation, the first frame.
        case webp
        /// A lossy WebP as above, but of an animation all its frames.
        case animatedWebP = "webp,animated"
        /// A PNG, whatever the image is.
        case png
        /// A lossy AVIF, with alpha where it is kept; of an animation, the first frame.
        case avif
    }

    /// The number of chroma samples in a JPEG or an AVIF.
    public enum Subsampling: String, Sendable, Hashable, CaseIterable {
        /// One sample for two by two pixels, but one a pixel where a drawing, such as a screenshot with coloured text,
        /// needs it.
        case automatic
        /// One sample for two by two pixels (4:2:0).
        case halved = "420"
        /// One sample a pixel (4:4:4).
        case full = "444"
    }

    /// The rendition's name: 1 to 32 of `a`–`z`, `0`–`9`, `-` and `_`.
    public let name: String
    /// The way in which an image meets the box.
    public let fit: Fit
    /// The box's width in pixels, 1 to `maxSide`.
    public let width: Int
    /// The box's height in pixels, 1 to `maxSide`.
    public let height: Int
    /// The quality on libjpeg's or libwebp's scale, 1 to 100.
    public let quality: Int
    /// The colour behind transparent pixels where alpha is not kept.
    public let background: RGBColor
    /// Whether an image with alpha keeps it; as a PNG, unless it becomes a WebP.
    public let keepsAlpha: Bool
    /// The kind of file as which the rendition is written.
    public let encoding: Encoding
    /// The number of the rendition's chroma samples, if it is a JPEG or an AVIF.
    public let subsampling: Subsampling
    /// Whether the rendition shows no more than a few soft patches of colour: what moderation leaves of a photo. It is still.
    public private(set) var isBlurred: Bool

    /// The longest side that a box may have.
    public static let maxSide = 16_384

    /// The recipes of a photo post: the whole image, the size for a phone's screen, its thumbnail, a list's small one, a grid's
    /// square.
    public static let defaults: [Recipe] = [
        Recipe(unchecked: "full", .inside, width: 1280, height: 1280, quality: 90),
        Recipe(unchecked: "medium", .inside, width: 960, height: 960, quality: 75),
        Recipe(unchecked: "thumb", .inside, width: 640, height: 640, quality: 70),
        Recipe(unchecked: "small", .inside, width: 320, height: 320, quality: 75),
        Recipe(unchecked: "tile", .cover, width: 160, height: 160, quality: 75),
    ]

    /// The recipe of a person's picture: a square, of the whole image's shorter side where that is less than 512 pixels.
    package static func avatar(of image: PixelSize? = nil) -> Recipe {
        let side = max(1, min(512, image?.width ?? 512, image?.height ?? 512))
        return Recipe(unchecked: "avatar", .cover, width: side, height: side, quality: 85)
    }

    /// Makes a recipe from its parts.
    /// - Throws: `ImageError.Code.badRecipe` when the name or a number is out of bounds.
    public init(
        name: String, fit: Fit = .inside, width: Int, height: Int, quality: Int = 80, background: RGBColor = .white,
        keepsAlpha: Bool = false, encoding: Encoding = .jpeg, subsampling: Subsampling = .automatic,
        isBlurred: Bool = false
    ) throws(ImageError) {
        guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(Recipe.isNameByte) else {
            throw .badRecipe("the name \"\(name)\" is not 1 to 32 of a-z, 0-9, - and _")
        }
        for side in [width, height] where !(1...Recipe.maxSide).contains(side) {
            throw .badRecipe("\(name): a side of \(side) pixels is not between 1 and \(Recipe.maxSide)")
        }
        guard (1...100).contains(quality) else {
            throw .badRecipe("\(name): the quality \(quality) is not between 1 and 100")
        }
        if let obstacle = encoding.encoder(hasAlpha: false).obstacle(to: PixelSize(width: width, height: height)) {
            throw .badRecipe("\(name): \(obstacle)")
        }
        guard subsampling == .automatic || [.jpeg, .progressiveJPEG, .avif].contains(encoding) else {
            throw .badRecipe(
                "\(name): subsampling is for JPEG and AVIF; a PNG has every colour, and a WebP is always 4:2:0")
        }
        self.init(
            unchecked: name, fit, width: width, height: height, quality: quality, background: background,
            keepsAlpha: keepsAlpha, encoding: encoding, subsampling: subsampling, isBlurred: isBlurred)
    }

    /// The recipe for the same rendition, but blurred.
    public var blurred: Recipe {
        var recipe = self
        recipe.isBlurred = true
        return recipe
    }

    private init(
        unchecked name: String, _ fit: Fit, width: Int, height: Int, quality: Int, background: RGBColor = .white,
        keepsAlpha: Bool = false, encoding: Encoding = .jpeg, subsampling: Subsampling = .automatic,
        isBlurred: Bool = false
    ) {
        self.name = name
        self.fit = fit
        self.width = width
        self.height = height
        self.quality = quality
        self.background = background
        self.keepsAlpha = keepsAlpha
        self.encoding = encoding
        self.subsampling = subsampling
        self.isBlurred = isBlurred
    }

    /// Whether the rendition wants a chroma sample a pixel of whatever decoder.
    var hasFullChroma: Bool { encoding == .png || subsampling == .full }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension Recipe {
    /// The size of the rendition of an image of an upright size: never larger than the image, never empty.
    public func fittedSize(for image: PixelSize) -> PixelSize {
        let scaled = scaledSize(for: image)
        return PixelSize(width: min(scaled.width, width), height: min(scaled.height, height))
    }

    /// The size that the whole image is scaled to, of which `fittedSize` is the middle.
    func scaledSize(for image: PixelSize) -> PixelSize {
        let (horizontal, vertical) = (Double(width) / Double(image.width), Double(height) / Double(image.height))
        let scale = fit == .inside ? min(horizontal, vertical) : max(horizontal, vertical)
        guard scale < 1 else { return image }
        return PixelSize(
            width: max(1, Int((Double(image.width) * scale).rounded())),
            height: max(1, Int((Double(image.height) * scale).rounded())))
    }
}
