extension String {
    /// For a line of a log or a terminal: control characters, which could pretend to be another line, as `\u{…}`.
    package var printable: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }.joined()
    }
}
