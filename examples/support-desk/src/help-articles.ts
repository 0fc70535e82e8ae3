/** The knowledge of the desk. An agent finds the articles by their meaning. */
export const helpArticles: readonly { readonly title: string; readonly text: string }[] = [
  {
    title: 'Returning an item',
    text: 'You can return an unused item within 30 days of delivery. Print the label in your account, and drop the parcel at any shop of the carrier. Returns are free.',
  },
  {
    title: 'When a refund arrives',
    text: 'We pay the money back within two working days. Your bank shows it three to five days later. Refunds of 150 euros or more are checked by a person first.',
  },
  {
    title: 'Delivery times',
    text: 'Parcels within Europe arrive in two to four working days. You get the tracking link by mail when the parcel leaves our store.',
  },
  {
    title: 'A parcel is late or lost',
    text: 'If tracking has not changed for five days, we ask the carrier to search for it, and send a new one after ten days.',
  },
  {
    title: 'A damaged or broken item',
    text: 'Send us a photo. You choose a repair, a replacement or your money back. The guarantee is two years.',
  },
  {
    title: 'Choosing a size',
    text: 'Boots are made for thick socks: take your usual size. Jackets are cut wide. Exchanges of a wrong size are free.',
  },
  {
    title: 'Caring for down',
    text: 'Wash a sleeping bag of down at 30 degrees with soap for down, and dry it slowly with two tennis balls. Never store it compressed.',
  },
  {
    title: 'Waterproofing a jacket or tent',
    text: 'Wash it, spray it while it is wet, and let it dry in a warm place. Repeat it once a season, or when water no longer forms drops.',
  },
  {
    title: 'Changing an address',
    text: 'We can change the address until the parcel has arrived. A colleague confirms the change, to keep parcels out of the hands of others.',
  },
  {
    title: 'Vouchers and gift cards',
    text: 'A voucher is valid for three years, for everything in the shop, and can be used in parts. Enter its code at the checkout.',
  },
  {
    title: 'Paying',
    text: 'You can pay by card, bank transfer or invoice. A card is charged when the parcel leaves our store.',
  },
  {
    title: 'Flying with a gas stove',
    text: 'Gas cartridges are not allowed on planes. A stove that was used must be clean and free of the smell of gas.',
  },
];
