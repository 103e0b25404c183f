import API

/// What a part of a form says of itself (RFC 7578 §4.2).
struct PartHeaders: Hashable {
    /// The field's name.
    let name: String
    /// What the sender calls the file; nil when the part is none.
    let fileName: String?

    /// Reads the header block of a part, without the empty line.
    ///
    /// - Throws: `Failure` with the code `bad_multipart`.
    init(_ block: some Sequence<UInt8>) throws(Failure) {
        for line in String(decoding: Array(block), as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else {
                throw Self.bad("a part has a header line without a colon")
            }
            guard line[..<colon].lowercased() == "content-disposition" else { continue }
            let disposition = HeaderParameters(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
            guard disposition.value == "form-data", let name = disposition["name"] else {
                throw Self.bad("a part's Content-Disposition is not form-data with a name")
            }
            self.name = name
            fileName = disposition["filename"]
            return
        }
        throw Self.bad("a part has no Content-Disposition")
    }

    private static func bad(_ message: String) -> Failure {
        Failure(.badMultipart, message, hint: "send multipart/form-data as browsers and curl -F do (RFC 7578)")
    }
}
