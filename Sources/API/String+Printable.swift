extension String {
    /// The text for a line of a log or a terminal: control characters, which could imitate another line, are written as
    /// `\u{…}`.
    package var printable: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }.joined()
    }
}
