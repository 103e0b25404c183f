/// The service as its operator named it, for apps.
package struct SiteDocument: Document {
    /// The shades of the colour of links and buttons, each as `#rrggbb`.
    package struct Accent: Document {
        /// The shade for light backgrounds.
        package let light: String
        /// The shade for dark backgrounds.
        package let dark: String

        package init(light: String, dark: String) {
            self.light = light
            self.dark = dark
        }
    }

    /// A square picture, as in the manifest of the web app.
    package struct Icon: Document {
        package let src: String
        /// The size in pixels, such as `192x192`.
        package let sizes: String
        package var type = "image/png"
        /// `any`, or `maskable` for a picture that may be cut to any shape.
        package let purpose: String

        package init(src: String, side: Int, purpose: String) {
            self.src = src
            sizes = "\(side)x\(side)"
            self.purpose = purpose
        }
    }

    /// The addresses of pages about the service; absent where there is none.
    package struct Links: Document {
        package let imprint: String?
        package let terms: String?
        package let privacy: String?

        package init(imprint: String?, terms: String?, privacy: String?) {
            self.imprint = imprint
            self.terms = terms
            self.privacy = privacy
        }
    }

    package let name: String
    package let description: String
    /// The language of the pages; absent when each reader's browser chooses it.
    package let language: String?
    /// The colour that the operator chose; absent for none.
    package let accent: Accent?
    package let icons: [Icon]
    package let links: Links

    package init(
        name: String, description: String, language: String?, accent: Accent?, icons: [Icon], links: Links
    ) {
        self.name = name
        self.description = description
        self.language = language
        self.accent = accent
        self.icons = icons
        self.links = links
    }
}
