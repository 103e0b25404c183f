/// The service as its operator named it.
public struct Site: Decodable, Hashable, Sendable {
    /// A colour for light and for dark backgrounds, each `#rrggbb`.
    public struct Accent: Codable, Hashable, Sendable {
        /// The colour on light backgrounds.
        public var light: String
        /// The colour on dark backgrounds.
        public var dark: String
    }

    /// An icon: a square in PNG.
    public struct Icon: Decodable, Hashable, Sendable {
        /// The address.
        public var address: MediaAddress
        /// The width and the height in pixels, such as `192x192`.
        public var sizes: String
        /// The purpose as in a web app's manifest: `any` or `maskable`.
        public var purpose: String

        private enum CodingKeys: String, CodingKey {
            case address = "src"
            case sizes, purpose
        }
    }

    /// The name, one line.
    public var name: String
    /// The description, one line.
    public var description: String
    /// The language of the service's pages, such as `en`; nil if each reader chooses.
    public var language: String?
    /// The colour; nil if none was chosen.
    public var accent: Accent?
    /// The icons.
    public var icons: [Icon]
    /// The addresses `imprint`, `terms` and `privacy`, those that there are.
    public var links: [String: MediaAddress]

    /// Decodes a site.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        name = try fields.required("name")
        description = fields.optional("description") ?? ""
        language = fields.optional("language")
        accent = fields.optional("accent")
        icons = fields.list("icons")
        links = fields.dictionary("links") ?? [:]
    }
}
