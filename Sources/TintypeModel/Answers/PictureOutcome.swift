/// The answer of the service to the picture of a person.
public enum PictureOutcome: Decodable, Hashable, Sendable {
    /// The person has the picture.
    case changed(Person)
    /// The photo is safe; the upload's state says what comes next.
    case accepted(Upload)

    /// Decodes an answer.
    ///
    /// - Throws: `DecodingError` for what is neither a person nor an upload.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        guard fields.optional(Upload.idName, as: Upload.ID.self) != nil else {
            self = .changed(try Person(from: decoder))
            return
        }
        self = .accepted(try Upload(from: decoder))
    }
}
