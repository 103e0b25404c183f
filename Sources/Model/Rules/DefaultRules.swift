/// The rules of a new store: FriendlyPix's layout, open where its apps need it, and closed elsewhere.
package enum DefaultRules {}
