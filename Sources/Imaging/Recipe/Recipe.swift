/// A description of a rendition: a box, the way in which an image fits it, and the encoding.
public struct Recipe: Sendable, Hashable {
    /// The way in which an image of other proportions fits the box.
    ///
    /// An image is never enlarged.
    public enum Fit: String, Sendable, Hashable, CaseIterable {
        /// The whole image, in the largest size that fits inside the box.
        case inside
        /// The smallest size that covers the box; the excess is cut off evenly on both sides.
        case cover
    }

    /// The encoding of a rendition.
    public enum Encoding: String, Sendable, Hashable, CaseIterable {
        /// A baseline JPEG; a PNG if alpha is kept and the image has any.
        case jpeg
        /// A progressive JPEG, which is slower to encode and slightly smaller; a PNG if alpha is kept and the image has
        /// any.
        case progressiveJPEG = "progressive"
        /// A lossy WebP, with alpha if it is kept; the first frame of an animation.
        case webp
        /// A lossy WebP, as above, but with all frames of an animation.
        case animatedWebP = "webp,animated"
        /// A PNG.
        case png
        /// A lossy AVIF, with alpha if it is kept; the first frame of an animation.
        case avif
    }

    /// The number of chroma samples in a JPEG or an AVIF.
    public enum Subsampling: String, Sendable, Hashable, CaseIterable {
        /// One sample for two by two pixels; one per pixel if the image is a drawing that needs it, such as a
        /// screenshot with coloured text.
        case automatic
        /// One sample for two by two pixels (4:2:0).
        case halved = "420"
        /// One sample per pixel (4:4:4).
        case full = "444"
    }

    /// The rendition's name: 1 to 32 of `a`–`z`, `0`–`9`, `-` and `_`.
    public let name: String
    /// The way in which an image fits the box.
    public let fit: Fit
    /// The box's width in pixels, 1 to `maxSide`.
    public let width: Int
    /// The box's height in pixels, 1 to `maxSide`.
    public let height: Int
    /// The quality, 1 to 100, on the scale of libjpeg and libwebp.
    public let quality: Int
    /// The colour behind transparent pixels if alpha is not kept.
    public let background: RGBColor
    /// Whether the alpha of an image is kept; a JPEG then becomes a PNG.
    public let keepsAlpha: Bool
    /// The encoding of the rendition.
    public let encoding: Encoding
    /// The number of chroma samples, if the rendition is a JPEG or an AVIF.
    public let subsampling: Subsampling
    /// Whether the rendition is reduced to a few soft patches of colour, for moderated photos. Such a rendition is
    /// never animated.
    public private(set) var isBlurred: Bool
    /// The side in pixels of a square canvas in whose middle the rendition stands; nil for a rendition of the image's own
    /// size. The rest of the canvas is transparent if alpha is kept, and has the colour of the background otherwise.
    public let canvas: Int?

    /// The maximum length of a box's side, in pixels.
    public static let maxSide = 16_384

    /// The recipes of a photo post: the whole image, the size for a phone's screen, a thumbnail, a small one for lists,
    /// and a square for grids.
    public static let defaults: [Recipe] = [
        Recipe(unchecked: "full", .inside, width: 1280, height: 1280, quality: 90),
        Recipe(unchecked: "medium", .inside, width: 960, height: 960, quality: 75),
        Recipe(unchecked: "thumb", .inside, width: 640, height: 640, quality: 70),
        Recipe(unchecked: "small", .inside, width: 320, height: 320, quality: 75),
        Recipe(unchecked: "tile", .cover, width: 160, height: 160, quality: 75),
    ]

    /// Returns the recipe of a user's picture: a square with a side of 512 pixels, or of the image's shorter side if
    /// that is less.
    package static func avatar(of image: PixelSize? = nil) -> Recipe {
        let side = max(1, min(512, image?.width ?? 512, image?.height ?? 512))
        return Recipe(unchecked: "avatar", .cover, width: side, height: side, quality: 85)
    }

    /// Creates a recipe from its parts, which the properties of the same names describe.
    ///
    /// - Throws: `ImageError` with the code `badRecipe` if the name or a number is out of bounds, if the encoding's
    ///   format cannot have the size, if the encoding has no choice of subsampling, or if a canvas is smaller than the
    ///   box, or not for a PNG.
    public init(
        name: String, fit: Fit = .inside, width: Int, height: Int, quality: Int = 80, background: RGBColor = .white,
        keepsAlpha: Bool = false, encoding: Encoding = .jpeg, subsampling: Subsampling = .automatic,
        isBlurred: Bool = false, canvas: Int? = nil
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
        if let canvas {
            guard encoding == .png else { throw .badRecipe("\(name): a canvas is for PNG only") }
            guard (max(width, height)...Recipe.maxSide).contains(canvas) else {
                throw .badRecipe("\(name): a canvas of \(canvas) pixels has no room for \(width)x\(height)")
            }
        }
        self.init(
            unchecked: name, fit, width: width, height: height, quality: quality, background: background,
            keepsAlpha: keepsAlpha, encoding: encoding, subsampling: subsampling, isBlurred: isBlurred, canvas: canvas)
    }

    /// The same recipe, but blurred.
    public var blurred: Recipe {
        var recipe = self
        recipe.isBlurred = true
        return recipe
    }

    private init(
        unchecked name: String, _ fit: Fit, width: Int, height: Int, quality: Int, background: RGBColor = .white,
        keepsAlpha: Bool = false, encoding: Encoding = .jpeg, subsampling: Subsampling = .automatic,
        isBlurred: Bool = false, canvas: Int? = nil
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
        self.canvas = canvas
    }

    /// Whether the rendition needs one chroma sample per pixel from any decoder.
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
    /// Returns the size of the rendition in pixels for an upright image's size: never empty, and never larger than the
    /// image unless it is a canvas.
    public func fittedSize(for image: PixelSize) -> PixelSize {
        canvas.map { PixelSize(width: $0, height: $0) } ?? pictureSize(for: image)
    }

    /// Returns the size of the picture in pixels, without its canvas.
    func pictureSize(for image: PixelSize) -> PixelSize {
        let scaled = scaledSize(for: image)
        return PixelSize(width: min(scaled.width, width), height: min(scaled.height, height))
    }

    /// Returns the size to which the whole image is scaled; `pictureSize` is its middle part.
    func scaledSize(for image: PixelSize) -> PixelSize {
        let (horizontal, vertical) = (Double(width) / Double(image.width), Double(height) / Double(image.height))
        let scale = fit == .inside ? min(horizontal, vertical) : max(horizontal, vertical)
        guard scale < 1 else { return image }
        return PixelSize(
            width: max(1, Int((Double(image.width) * scale).rounded())),
            height: max(1, Int((Double(image.height) * scale).rounded())))
    }
}
