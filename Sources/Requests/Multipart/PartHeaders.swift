import API

/// The headers of a part of a form (RFC 7578 §4.2), or of a `multipart/related` body (RFC 2387).
package struct PartHeaders: Hashable {
    /// The field's name; empty outside of forms.
    package let name: String
    /// The file name that the sender gives; nil if the part is not a file.
    package let fileName: String?
    /// The media type of a part outside of forms; nil if it is not specified.
    package private(set) var contentType: String?

    /// Parses the header block of a part, without the empty line.
    ///
    /// - Throws: `Failure` with the code `bad_multipart`.
    init(_ block: some Sequence<UInt8>, of kind: MultipartParser.Kind = .formData) throws(Failure) {
        let wanted = kind == .formData ? "content-disposition" : "content-type"
        for line in String(decoding: Array(block), as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else {
                throw Self.bad("a part has a header line without a colon")
            }
            guard line[..<colon].lowercased() == wanted else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            guard kind == .formData else {
                (name, fileName, contentType) = ("", nil, String(value))
                return
            }
            let disposition = HeaderParameters(value)
            guard disposition.value == "form-data", let name = disposition["name"] else {
                throw Self.bad("a part's Content-Disposition is not form-data with a name")
            }
            self.name = name
            fileName = disposition["filename"]
            return
        }
        guard kind == .related else { throw Self.bad("a part has no Content-Disposition") }
        (name, fileName) = ("", nil)
    }

    private static func bad(_ message: String) -> Failure {
        Failure(.badMultipart, message, hint: "Send multipart/form-data as browsers and curl -F do (RFC 7578).")
    }
}
