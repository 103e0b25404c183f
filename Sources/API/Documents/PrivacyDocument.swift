/// A user's consents.
package struct PrivacyDocument: Document, Hashable {
    /// Consent to the storage of the user's data at all.
    package let dataProcessing: Bool
    /// Consent to the publication of the user's texts and photos.
    package let content: Bool
    /// Consent to being found by name.
    package let social: Bool

    private enum CodingKeys: String, CodingKey {
        case dataProcessing = "data_processing"
        case content, social
    }

    package init(dataProcessing: Bool, content: Bool, social: Bool) {
        (self.dataProcessing, self.content, self.social) = (dataProcessing, content, social)
    }
}
