/** Sizes of the icons, px: that of an iPhone, and those that Chrome requires. `lab -- screenshots` draws them. */
export const iconSizes = [180, 192, 512] as const;
