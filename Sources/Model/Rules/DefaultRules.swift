/// The rules of a new store: FriendlyPix's layout, open where its apps need it, and closed elsewhere. They are those of
/// the preset ``RulesPreset/public``.
package enum DefaultRules {
    /// The default database rules.
    package static let database = RulesPreset.public.database
    /// The default storage rules.
    package static let storage = RulesPreset.public.storage
}
