/// What somebody has agreed to.
package struct PrivacyDocument: Document, Hashable {
    /// That what they do is kept at all.
    package let dataProcessing: Bool
    /// That what they write and photograph is published.
    package let content: Bool
    /// That they are found by their name.
    package let social: Bool

    private enum CodingKeys: String, CodingKey {
        case dataProcessing = "data_processing"
        case content, social
    }

    package init(dataProcessing: Bool, content: Bool, social: Bool) {
        (self.dataProcessing, self.content, self.social) = (dataProcessing, content, social)
    }
}
