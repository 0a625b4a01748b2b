// Filters of a list as a person sets them, by the keyboard alone.
import type { Locator, Page } from "playwright-core"

/** The chip of a filter that is set. */
export const chip = (page: Page, label: string): Locator =>
  page.getByRole("search").getByRole("button", { name: new RegExp(`^${label}:`) })

async function openEditor(page: Page, label: string): Promise<void> {
  await page.getByRole("button", { name: "Add filter" }).focus()
  await page.keyboard.press("Enter")
  const entry = page.getByRole("menu", { name: "Filters" }).getByRole("menuitem", { name: label }).first()
  await entry.press("Enter")
}

export async function typeFilter(page: Page, label: string, text: string): Promise<void> {
  await openEditor(page, label)
  await page.getByRole("search").getByRole("textbox", { name: label }).or(comboOf(page, label)).fill(text)
  await page.keyboard.press("Enter")
  await chip(page, label).waitFor()
}

/** A field with suggestions. */
const comboOf = (page: Page, label: string): Locator => page.getByRole("search").getByRole("combobox", { name: label })

export async function chooseFilter(page: Page, label: string, value: string): Promise<void> {
  await openEditor(page, label)
  await page.getByRole("menu", { name: label }).getByRole("menuitemradio", { name: value, exact: true }).press("Enter")
  await chip(page, label).waitFor()
}
