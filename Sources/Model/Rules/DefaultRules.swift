/// The rules that a new store begins with: FriendlyPix's layout, open where its apps need it, and closed elsewhere.
package enum DefaultRules {}
